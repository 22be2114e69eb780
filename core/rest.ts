/** What comes after the first page of a long result: text by text, with others getting their turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Account } from '../storage/platform-store.js'
import type { MemberWriter } from './member-writer.js'
import type { Core } from './method.js'

/** Texts have about this many characters. */
const restSize = 64 * 1024
/** Time after which others get their turn even if there is little text yet, in milliseconds. */
const restMs = 5

/** The rest of a result, as the client takes it. */
export async function* restOf(
  { accounts }: Core,
  writer: MemberWriter,
  account: Account
): AsyncGenerator<string, void, undefined> {
  while (!writer.isTaken) {
    await nextTurn()
    const end = performance.now() + restMs
    const isShort = (): boolean => !writer.isDone && writer.size < restSize
    if (isShort()) {
      const store = accounts.store(account)
      store.read(() => {
        while (isShort() && performance.now() < end) writer.write(store)
      })
    }
    const text = writer.takeSome()
    if (text !== '') yield text
  }
}
