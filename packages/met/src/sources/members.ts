/** Sources that serve every member of an ensemble. */
import type { MetSource, SourceDescription } from '../source.ts';

/** What `member` of the configuration may be. */
export type MemberSetting = number | 'all';

/** How a description names its member; nothing where the files hold no ensemble. */
export function describeMember(
  members: readonly number[] | undefined,
  member: number | undefined,
): Pick<SourceDescription, 'member' | 'members'> {
  const [first] = members ?? [];
  return members === undefined || first === undefined ? {} : { members, member: member ?? first };
}

/** The source of the first member, which opens those of others when they are asked for and keeps them. */
export function withMembers(source: MetSource, open: (member: number) => MetSource): MetSource {
  const others = new Map<number, MetSource>();
  return {
    ...source,
    ofMember(member) {
      const other = others.get(member) ?? open(member);
      others.set(member, other);
      return other;
    },
  };
}
