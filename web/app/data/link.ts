/** Links that share: the account and the token of an access, in the fragment of an address, which reaches no server. */
import { appRoot, sharedName } from '../route.js'

/** What a link holds. */
export interface Shared {
  readonly username: string
  readonly token: string
}

/** Returns the address that opens what a token may see. */
export function linkTo({ username, token }: Shared): string {
  return `${new URL(sharedName, appRoot).href}#${encodeURIComponent(username)}.${encodeURIComponent(token)}`
}

/** What an address holds: a link, none, or a part of one. */
export type Taken = Shared | 'none' | 'broken'

/** Returns what the fragment of the address holds, and takes it out of the address bar and the history. */
export function takeLink(): Taken {
  const { hash, pathname, search } = location
  if (hash === '') return 'none'
  history.replaceState(null, '', pathname + search)
  return sharedIn(hash) ?? 'broken'
}

/** Returns what the fragment of an address holds; `undefined` if it is not one of our links. */
function sharedIn(fragment: string): Shared | undefined {
  const found = /^#([\w-]{1,60})\.([\w%.~-]{1,400})$/.exec(fragment)
  if (!found) return undefined
  try {
    return { username: decodeURIComponent(found[1]!).toLowerCase(), token: decodeURIComponent(found[2]!) }
  } catch {
    return undefined
  }
}
