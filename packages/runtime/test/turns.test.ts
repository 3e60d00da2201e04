import { describe, expect, test } from 'vitest';
import { finish, inTurns, nextTurn, slices, VALUES_PER_TURN, type Work } from '../src/turns.ts';

/** Notes which parts are done in each round of the event loop until all works are. */
async function partsByRound(works: readonly ((done: (part: string) => void) => Promise<void>)[]) {
  const rounds: string[][] = [[]];
  let isOver = false;
  const nextRound = () => {
    rounds.push([]);
    if (!isOver) setImmediate(nextRound);
  };
  setImmediate(nextRound);
  await Promise.all(works.map((work) => work((part) => rounds.at(-1)?.push(part))));
  isOver = true;
  return rounds.filter((parts) => parts.length > 0);
}

describe('turns', () => {
  test('one of many works goes on in a round of the event loop, each in its turn', async () => {
    const rounds = await partsByRound(
      ['a', 'b', 'c'].map((name) => async (done) => {
        for (let part = 1; part <= 3; part++) {
          await nextTurn();
          done(`${name}${part}`);
        }
      }),
    );
    expect(rounds).toEqual([['a1'], ['b1'], ['c1'], ['a2'], ['b2'], ['c2'], ['a3'], ['b3'], ['c3']]);
  });

  test('a failing work does not end the turns of others', async () => {
    const failing = (async () => {
      await nextTurn();
      throw new Error('failed');
    })();
    const other = nextTurn().then(() => 'done');
    await expect(failing).rejects.toThrow('failed');
    expect(await other).toBe('done');
    expect(await nextTurn()).toBeUndefined();
  });
});

describe('work', () => {
  function* sumOf(values: Float64Array, done: (end: number) => void = () => {}): Work<number> {
    let sum = 0;
    yield* slices(values.length, (start, end) => {
      for (let i = start; i < end; i++) sum += values[i] as number;
      done(end);
    });
    return sum;
  }
  const many = new Float64Array(3 * VALUES_PER_TURN + 1).fill(1);

  test('small work is done on return', () => {
    expect(inTurns(sumOf(Float64Array.of(1, 2)))).toBe(3);
  });

  test('of works that begin in one round only the first does a whole part', async () => {
    const rounds = await partsByRound(
      ['a', 'b', 'c'].map((name) => async (done) => {
        // Parts of a sixteenth of a turn.
        const work = function* (): Work<void> {
          for (let part = 0; part < 32; part++) {
            done(name);
            yield VALUES_PER_TURN / 16;
          }
        };
        await inTurns(work());
      }),
    );
    expect(rounds[0]).toEqual([...Array(16).fill('a'), ...Array(2).fill('b'), ...Array(2).fill('c')]);
    expect(Math.max(...rounds.slice(1).map((parts) => parts.length))).toBe(16);
  });

  test('large work gives the same result in turns and at once', async () => {
    expect(await inTurns(sumOf(many))).toBe(many.length);
    expect(finish(sumOf(many))).toBe(many.length);
  });

  test('of twenty large works, no round of the event loop does more than one part after their first', async () => {
    const rounds = await partsByRound(
      Array.from({ length: 20 }, (_, i) => async (done: (part: string) => void) => {
        await inTurns(sumOf(many, (end) => done(`${i} ${end}`)));
      }),
    );
    expect(rounds.slice(1).map((parts) => parts.length)).toEqual(Array.from({ length: 60 }, () => 1));
  });
});
