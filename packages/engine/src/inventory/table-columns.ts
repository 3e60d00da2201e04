/** Columns of a slot's files: those of the tables without what the run decides, and what identifies flights with equal inputs. */
import { SEGMENT_COLUMNS, SEGMENT_NUMBER_NAMES, SUMMARY_COLUMNS } from '@contrails/flights/inventory';
import type { StagedColumn } from './parquet.ts';

/** Equal for flights with the same inputs. */
const HASH = { name: 'leg_hash', type: 'string' } as const;

/** Columns of a summary that the run decides, not the flight. */
export const RUN_COLUMNS = ['run_id', 'config_hash', 'processed_at', 'modeling_version'] as const;

const isOfRun = (name: string) => (RUN_COLUMNS as readonly string[]).includes(name);
export const FLIGHT_SUMMARY_COLUMNS: readonly StagedColumn[] = [
  ...SUMMARY_COLUMNS.filter(({ name }) => !isOfRun(name)),
  HASH,
];

const isNumber = (name: string) => (SEGMENT_NUMBER_NAMES as readonly string[]).includes(name);
/** What holds for all segments of a flight. */
export const SEGMENT_TEXT_NAMES = [...SEGMENT_COLUMNS, HASH]
  .map(({ name }) => name)
  .filter((name) => !isNumber(name));

/** The texts of a flight come first. */
export const FLIGHT_SEGMENT_COLUMNS: readonly StagedColumn[] = [...SEGMENT_COLUMNS, HASH].toSorted(
  (a, b) => Number(isNumber(a.name)) - Number(isNumber(b.name)),
);
