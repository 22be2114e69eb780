/** Tells the app that has opened a page for consent what the user has decided. (docs/api/consent.md#pages) */
import type { Asked } from './asked.js'

/** The result for the app. */
interface Result {
  readonly ok: boolean
  readonly acceptEventId?: string
  readonly updateEventId?: string
  readonly action?: string
  /** The API endpoint of the new access: only for apps that the operator trusts. */
  readonly dataGrantApiEndpoint?: string
  readonly reason?: string
}

/** Returns the origin of the app; undefined if no app waits, or its address cannot be returned to. */
export function getAppOrigin({ returnUrl }: Asked): string | undefined {
  const url = parseWebUrl(returnUrl ?? (window.opener ? document.referrer : ''))
  return url?.origin
}

/**
 * Hands the result over: to the window that has opened this one, which is then closed, or by going to the
 * app's address. Returns false, with nothing done, if no app waits for it.
 */
export function returnToApp(asked: Asked, type: 'accept' | 'scope-update', result: Result): boolean {
  const origin = getAppOrigin(asked)
  if (origin === undefined) return false
  const opener = window.opener as Window | null
  if (asked.mode !== 'redirect' && opener) {
    opener.postMessage({ type: `cmc-${type}-result`, ...result }, origin)
    window.close()
    return true
  }
  const url = parseWebUrl(asked.returnUrl)
  if (!url) return false
  url.searchParams.set(type === 'accept' ? 'cmcAcceptResult' : 'cmcScopeUpdateResult', JSON.stringify(result))
  location.assign(url.href)
  return true
}

function parseWebUrl(text: string | undefined): URL | undefined {
  try {
    const url = new URL(text ?? '')
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined
  } catch {
    return undefined
  }
}
