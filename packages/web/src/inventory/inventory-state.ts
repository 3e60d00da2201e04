/** What the inventory view shows, as a link spells it. */
import type { Order, SortColumn } from './day-table.ts';
import { GROUPINGS, type Grouping, SORTABLE } from './day-table.ts';

export const TABS = ['overview', 'groups', 'flights', 'savings', 'report'] as const;
export type Tab = (typeof TABS)[number];

export interface InventoryState {
  /** The newest day unless given. */
  readonly date: string | undefined;
  /** Last day of a range. */
  readonly to: string | undefined;
  readonly text: string;
  readonly tab: Tab;
  readonly by: Grouping;
  readonly order: Order;
  readonly chosen: string | undefined;
}

const FIRST: InventoryState = {
  date: undefined,
  to: undefined,
  text: '',
  tab: 'overview',
  by: 'airline',
  order: { column: 'co2eKg', isDescending: true },
  chosen: undefined,
};

/** What is not valid in a link is left at what the view begins with. */
export function parseState(parameters: URLSearchParams): InventoryState {
  const sort = parameters.get('sort') ?? '';
  const column = SORTABLE.find((one) => one === sort.replace(/^-/, ''));
  return {
    date: validDate(parameters.get('date')),
    to: validDate(parameters.get('to')),
    text: parameters.get('q') ?? '',
    tab: TABS.find((one) => one === parameters.get('tab')) ?? FIRST.tab,
    by: GROUPINGS.find((one) => one === parameters.get('by')) ?? FIRST.by,
    order: column === undefined ? FIRST.order : { column, isDescending: sort.startsWith('-') },
    chosen: parameters.get('flight') ?? undefined,
  };
}

export function formatState({ date, to, text, tab, by, order, chosen }: InventoryState): URLSearchParams {
  const isFirst = (column: SortColumn, isDescending: boolean) =>
    column === FIRST.order.column && isDescending === FIRST.order.isDescending;
  const entries: readonly (readonly [string, string | undefined])[] = [
    ['date', date],
    ['to', to === date ? undefined : to],
    ['q', text === '' ? undefined : text],
    ['tab', tab === FIRST.tab ? undefined : tab],
    ['by', by === FIRST.by ? undefined : by],
    [
      'sort',
      isFirst(order.column, order.isDescending)
        ? undefined
        : `${order.isDescending ? '-' : ''}${order.column}`,
    ],
    ['flight', chosen],
  ];
  return new URLSearchParams(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export function validDate(text: string | null): string | undefined {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : undefined;
}
