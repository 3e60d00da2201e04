import type { ForecastSkill } from '@contrails/client';
import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { SCALING_NAMES } from '../map/layer-names.ts';
import { messageOf, service } from '../service.ts';
import { replaceParameters } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import { dateText, timeText } from '../text.ts';
import { SkillChart } from './skill-chart.tsx';
import { publishedPoints, rateText, SOURCES } from './skill-points.ts';

const REFRESH_MS = 60_000;
const REGIONS: Readonly<Record<string, string>> = {
  global: 'the globe',
  conus: 'the United States',
  shanwick: 'the North Atlantic (Shanwick)',
};
const SEASONS: Readonly<Record<string, string>> = {
  annual: 'all seasons',
  winter: 'winter',
  spring: 'spring',
  summer: 'summer',
  autumn: 'autumn',
};
const CHOICES = ['forecast', 'region', 'season'] as const;
type Choice = Readonly<Record<(typeof CHOICES)[number], string>>;

/** How good the forecast was: what its regions caught against what they affected, by the last scheduled score. */
export function SkillView({ parameters }: { readonly parameters: URLSearchParams }) {
  const { skill, error } = useSkill();
  const [wanted, setWanted] = useState<Partial<Choice>>(() => Object.fromEntries(parameters));
  useEffect(() => setWanted(Object.fromEntries(parameters)), [parameters]);
  if (error !== undefined)
    return (
      <main class="page">
        <p class="error" role="alert">
          {error}
        </p>
      </main>
    );
  if (skill === undefined)
    return (
      <main class="page">
        <p aria-busy="true">Loading…</p>
      </main>
    );
  const choose = (change: Partial<Choice>) => {
    const next = { ...wanted, ...change };
    setWanted(next);
    const chosen = CHOICES.flatMap((name) => (next[name] === undefined ? [] : [[name, next[name]]]));
    replaceParameters('skill', new URLSearchParams(chosen));
  };
  return (
    <main class="page">
      <div class="columns">
        {skill.rows.length === 0 ? (
          <NotScored skill={skill} />
        ) : (
          <Scored skill={skill} wanted={wanted} onChoose={choose} />
        )}
        <Compared skill={skill} />
      </div>
    </main>
  );
}

/** With the scaling of humidity in the words of the map. */
function notesOf({ notes, humidity_scaling: scaling }: ForecastSkill): string {
  const words = Object.entries(SCALING_NAMES).find(([name]) => name === scaling)?.[1];
  return notes.map((note) => (scaling && words ? note.replace(scaling, words) : note)).join(' ');
}

function NotScored({ skill }: { readonly skill: ForecastSkill }) {
  return (
    <section class="wide">
      <h2>Skill of the forecast</h2>
      <p>
        {skill.scored === null
          ? skill.notes[0]
          : 'No time has both a forecast and observations yet. The score is repeated on its schedule.'}
      </p>
      <p>
        <a href="docs/skill">How a forecast is scored</a>
      </p>
    </section>
  );
}

function Scored(props: {
  readonly skill: ForecastSkill;
  readonly wanted: Partial<Choice>;
  readonly onChoose: (change: Partial<Choice>) => void;
}) {
  const { skill, wanted, onChoose } = props;
  const offered: Readonly<Record<keyof Choice, readonly string[]>> = {
    forecast: skill.forecasts,
    region: [...new Set(skill.rows.map(({ region }) => region))],
    season: [...new Set(skill.rows.map(({ season }) => season))],
  };
  const chosen = (name: keyof Choice) =>
    offered[name].find((one) => one === wanted[name]) ?? offered[name][0] ?? '';
  const [forecast, region, season] = [chosen('forecast'), chosen('region'), chosen('season')];
  const rows = skill.rows.filter(
    (row) => row.forecast === forecast && row.region === region && row.season === season,
  );
  const title = `${forecast}, ${REGIONS[region] ?? region}, ${SEASONS[season] ?? season}`;
  const period =
    skill.period === null
      ? ''
      : [...new Set([dateText(skill.period.first), dateText(skill.period.last)])].join(' to ');
  const days = rows[0]?.days ?? 0;
  return (
    <section class="wide">
      <h2>Skill of the forecast</h2>
      <div class="day-bar">
        {CHOICES.map((name) => (
          <label key={name} class="field">
            {name === 'forecast' ? 'Forecast' : name === 'region' ? 'Region' : 'Season'}
            <select
              value={chosen(name)}
              onChange={({ currentTarget: { value } }) => onChoose({ [name]: value })}
            >
              {offered[name].map((one) => (
                <option key={one} value={one}>
                  {(name === 'region' ? REGIONS[one] : name === 'season' ? SEASONS[one] : undefined) ?? one}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <SkillChart
        rows={rows}
        published={publishedPoints(skill, region, season)}
        title={title}
        source={`${period}, ${days} ${days === 1 ? 'day' : 'days'}, ${rows[0]?.shards ?? 0} times and levels; published points in grey`}
      />
      <p class="hint">
        {notesOf(skill)} <a href="docs/skill">How to read it</a>
      </p>
      <div class="scroll">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <th class="number">Buffer, cells</th>
              <th class="number">Flying inside</th>
              {SOURCES.map(({ source, name }) => (
                <th key={source} class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.horizontal_buffer}>
                <th scope="row" class="number">
                  {row.horizontal_buffer}
                </th>
                <td class="number">{rateText(row.penalty, row.penalty_lo, row.penalty_hi)}</td>
                {SOURCES.map(({ source, column }) => (
                  <td key={source} class="number">
                    {rateText(row[column], row[`${column}_lo`], row[`${column}_hi`])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Compared({ skill }: { readonly skill: ForecastSkill }) {
  const { scored, shards, shards_without_forecast: without, observations } = skill;
  if (scored === null) return null;
  return (
    <section>
      <h2>What was compared</h2>
      <dl class="facts">
        <dt>Scored</dt>
        <dd>{timeText(scored)}</dd>
        <dt>Times and levels</dt>
        <dd>{shards.toLocaleString('en')}</dd>
        <dt>Without a forecast</dt>
        <dd>{without.toLocaleString('en')}</dd>
        <dt>Cells with flights</dt>
        <dd>{observations.adsb.cells.toLocaleString('en')}</dd>
        {SOURCES.map(({ source, name }) => (
          <Fragment key={source}>
            <dt>{name}</dt>
            <dd>
              {observations[source].files === 0
                ? 'not observed'
                : `${observations[source].cells.toLocaleString('en')} cells with contrails`}
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function useSkill(): { readonly skill: ForecastSkill | undefined; readonly error: string | undefined } {
  const { key, connection } = useSession();
  const [skill, setSkill] = useState<ForecastSkill>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    const refresh = () =>
      service.forecast.skill({ signal }).then(
        (found) => {
          setSkill(found);
          setError(undefined);
        },
        (problem: unknown) => {
          if (!signal.aborted) setError(messageOf(problem));
        },
      );
    void refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => {
      stopped.abort();
      clearInterval(timer);
    };
  }, [key, connection]);
  return { skill, error };
}
