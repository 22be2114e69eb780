/** What other people have shared, from the copies here, in the form in which pages show the account's own. (docs/api/mirrors.md) */
import type { Client } from './client.js'
import type { MeasureDirectory, MeasureFact } from './measures.js'
import type { Fact, Stream } from './model.js'
import { buildTree, type Tree } from './tree.js'

/** Contents of a copy. */
export interface Followed {
  /** Without the root of the copy. */
  readonly tree: Tree
  readonly facts: readonly Fact[]
  readonly measureFacts: readonly MeasureFact[]
}

/** Reads the contents of a copy by the id of its root. The other account sees each read. */
export async function readFollowed(
  { client, measures }: { readonly client: Client; readonly measures: MeasureDirectory },
  root: string
): Promise<Followed> {
  const params = { streams: [root] }
  const [{ streams }, { facts }, { facts: measureFacts }] = await Promise.all([
    client.call<{ streams: readonly Stream[] }>('streams.get', { parentId: root, state: 'all' }),
    client.call<{ facts: readonly Omit<Fact, 'shownCount'>[] }>('streams.facts', params),
    client.call<{ facts: readonly MeasureFact[] }>('measures.facts', params)
  ])
  await measures.read(measureFacts.map(({ measure }) => measure))
  // The tree of an account leaves out roots that are the service's, such as copies.
  const tree = buildTree([{ id: '', name: '', parentId: null, children: streams } as unknown as Stream])
  return {
    tree: { ...tree, roots: streams, all: tree.all.slice(1) },
    facts: facts.map(each => ({ ...each, shownCount: each.count })),
    measureFacts
  }
}
