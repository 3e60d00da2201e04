/** Members of a weather ensemble: which ones a request sees, and which samples see which of them. */
import type { Met } from '@contrails/met';
import { ENSEMBLE_MEMBERS } from '@contrails/physics/humidity-scaling';
import { ValidationError } from '@contrails/runtime/errors';
import { ENSEMBLE_SCALING } from '../weather/humidity-scaling.ts';
import type { WeatherGroup } from './plan-weather.ts';
import type { UncertaintyOptions } from './uncertainty.ts';

/** A Monte Carlo run whose members are known. */
export type ResolvedUncertainty = UncertaintyOptions & { readonly metMembers?: readonly number[] };

/** One pass over the flights: the weather of a member, and the samples that see it. */
export interface MemberPass {
  /** Undefined where the request asks for no members. */
  readonly member: number | undefined;
  readonly samples: readonly number[];
}

/** Names the members that a request asks for, which have to be those of every source that its flights see. */
export async function resolveMembers(
  met: Pick<Met, 'catalogue'>,
  groups: readonly WeatherGroup[],
  uncertainty: UncertaintyOptions,
): Promise<ResolvedUncertainty> {
  const { metMembers: asked, ...options } = uncertainty;
  if (asked === undefined) return options;
  const served = await servedMembers(met);
  const names = new Set(groups.flatMap(({ request }) => request?.source ?? []));
  const lists = Array.from(names, (name) =>
    asked === 'all' ? membersOf(served, name) : chosenOf(served, name, asked),
  );
  const [metMembers = []] = lists;
  if (lists.some((list) => list.join() !== metMembers.join())) {
    throw refused(
      `met_members=all means other members in each of ${[...names].join(', ')}; choose one of them with met_source, or name the members`,
    );
  }
  return { ...options, metMembers, samples: options.samples === 0 ? metMembers.length : options.samples };
}

/** Refuses a member that a source does not serve. */
export async function requireMember(
  met: Pick<Met, 'catalogue'>,
  source: string,
  member: number,
  parameter: string,
): Promise<void> {
  const served = (await servedMembers(met)).get(source);
  if (served?.includes(member)) return;
  const serves = served === undefined ? 'no members' : `the members ${served.join(', ')}`;
  const msg = `${parameter} asks for member ${member}, and the weather source ${source} serves ${serves}`;
  throw new ValidationError([{ loc: ['query', parameter], msg, type: 'value_error' }]);
}

/** Refuses ensembles that the scaling of a whole one has no quantiles for. */
export function requireCalibrated({ metMembers = [] }: ResolvedUncertainty): void {
  if (metMembers.length === ENSEMBLE_MEMBERS) return;
  const msg = `humidity_scaling ${ENSEMBLE_SCALING} needs the ${ENSEMBLE_MEMBERS} members of the ERA5 ensemble, and this weather source has ${metMembers.length}; choose a source of ten with met_source, or histogram_matching`;
  throw new ValidationError([{ loc: ['query', 'humidity_scaling'], msg, type: 'value_error' }]);
}

/** The passes of a run: sample s sees member s mod M. */
export function memberPasses({ samples, metMembers }: ResolvedUncertainty): MemberPass[] {
  const of = (first: number, step: number) =>
    Array.from({ length: Math.ceil((samples - first) / step) }, (_, k) => first + k * step);
  if (metMembers === undefined) return [{ member: undefined, samples: of(0, 1) }];
  return metMembers.map((member, m) => ({ member, samples: of(m, metMembers.length) })).slice(0, samples);
}

/** What is uneven about the samples of members. */
export function memberWarnings({ samples, metMembers }: UncertaintyOptions): string[] {
  const members = Array.isArray(metMembers) ? metMembers.length : 1;
  if (samples % members === 0) return [];
  return [
    `uncertainty ${samples} is not a multiple of the ${members} members of met_members: some members count more than others`,
  ];
}

/** The same flights in the weather of a member, with the humidity of others where it is wanted. */
export function groupOfMember(
  group: WeatherGroup,
  member: number | undefined,
  humidityOfMembers: readonly number[] = [],
): WeatherGroup {
  if (member === undefined || group.request === undefined) return group;
  // All members are of one run.
  const { again: _, ...inRun } = group;
  return {
    ...inRun,
    request: { ...group.request, member, humidityOfMembers },
    halves: () => group.halves().map((half) => groupOfMember(half, member, humidityOfMembers)),
  };
}

type Served = ReadonlyMap<string, readonly number[] | undefined>;

async function servedMembers({ catalogue }: Pick<Met, 'catalogue'>): Promise<Served> {
  const entries = await catalogue.list();
  return new Map(
    entries.map((entry) => [
      entry.source.name,
      'description' in entry ? entry.description.members : undefined,
    ]),
  );
}

function membersOf(served: Served, name: string): readonly number[] {
  const members = served.get(name);
  if (members !== undefined) return members;
  const having = [...served].flatMap(([other, list]) => (list === undefined ? [] : [other]));
  throw refused(
    having.length === 0
      ? `the weather source ${name} serves no members, nor does any other; set member: all for one whose files have members, or leave out met_members`
      : `the weather source ${name} serves no members; choose one that does with met_source: ${having.join(', ')}`,
  );
}

function chosenOf(served: Served, name: string, asked: readonly number[]): readonly number[] {
  const members = membersOf(served, name);
  const unknown = asked.find((member) => !members.includes(member));
  if (unknown === undefined) return asked;
  throw refused(
    `the weather source ${name} has no member ${unknown}; choose from ${members.join(', ')}, or all`,
  );
}

function refused(msg: string): ValidationError {
  return new ValidationError([{ loc: ['query', 'met_members'], msg, type: 'value_error' }]);
}
