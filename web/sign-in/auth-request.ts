/**
 * An app's request for an access: reads it, sends the decision, and returns to the app.
 * (docs/spec/app-authorization.md#deciding)
 */
import { callRoute, Refusal, type ServiceInfo, type Session } from '../api.js'
import { toPlainText } from '../plain-text.js'

export type Level = 'none' | 'read' | 'create-only' | 'contribute' | 'manage'

export interface StreamPermission {
  readonly streamId: string
  readonly level: Level
  readonly name?: string
  readonly defaultName?: string
}

export interface FeaturePermission {
  readonly feature: string
  readonly setting: string
}

export type Permission = StreamPermission | FeaturePermission

/** The request of an app. */
export interface AuthRequest {
  readonly key: string
  /** The display name of the app: the operator's name for it, or its id. */
  readonly app: string
  /** The operator's names for apps, by id. */
  readonly appNames: ReadonlyMap<string, string>
  readonly requestingAppId: string
  readonly requestedPermissions: readonly Permission[]
  readonly deviceName?: string
  readonly expireAfter?: number
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly returnURL?: string | false
  readonly lang?: string
  readonly referer?: string
  /** Present if the app uses OAuth. */
  readonly oauth?: OAuthNotice
}

/** Additional information for OAuth requests. */
export interface OAuthNotice {
  /** OAuth scopes: which user information the app receives, and whether it may renew its access (`offline_access`). */
  readonly scopes: readonly string[]
  /** Name of the app, given by itself or by the operator. */
  readonly clientName?: string
  /** Whether the app has registered itself. */
  readonly isSelfRegistered?: true
  /** Whether to ask even if the app already has its access. */
  readonly isAsked: boolean
}

/** Why there is no request to decide. */
export type NoRequest = 'expired' | 'decided' | 'foreign'

/** What the page has shown of a request: its texts in their order, without those about the user. */
export interface Notice {
  readonly language: string
  readonly texts: readonly string[]
}

export type Decision =
  | {
      readonly status: 'ACCEPTED'
      readonly username: string
      readonly token: string
      readonly apiEndpoint?: string
      readonly notice?: Notice
    }
  | { readonly status: 'REFUSED'; readonly reasonId: string; readonly message: string }

/**
 * Returns the request that the page's URL names; undefined if it names none, or why it cannot be answered: it
 * is `foreign` (of another service), `expired` or `decided`. Rejects with a `Refusal` if the service cannot
 * be asked.
 */
export async function findRequest(
  params: URLSearchParams,
  info: ServiceInfo
): Promise<AuthRequest | NoRequest | undefined> {
  const poll = params.get('poll') ?? params.get('pollUrl')
  const service = params.get('serviceInfo')
  const key = params.get('key') ?? poll?.split(/[?#]/)[0]!.split('/').at(-1)
  if (key === undefined || key === '') return undefined
  // The link must not make users who sign in here communicate with another service.
  const isOurs = [poll, service].every(url => url === null || isOwnUrl(url, info))
  return isOurs && /^[\w-]{1,100}$/.test(key) ? await readRequest(key) : 'foreign'
}

function isOwnUrl(text: string, { access, register }: ServiceInfo): boolean {
  if (!URL.canParse(text)) return false
  const { origin, protocol } = new URL(text)
  const origins = [location.origin, new URL(access).origin, new URL(register).origin]
  return /^https?:$/.test(protocol) && origins.includes(origin)
}

type PollResult = Omit<AuthRequest, 'app' | 'appNames' | 'key'> & { readonly status: string }

/** Reads the request of an app with the names of apps, or why there is none to decide on. */
async function readRequest(key: string): Promise<AuthRequest | NoRequest> {
  try {
    const result = await callRoute<PollResult>('GET', `reg/access/${key}`)
    if (result.status !== 'NEED_SIGNIN') return 'decided'
    const appNames = await readAppNames()
    const { oauth, requestingAppId } = result
    const app = appNames.get(requestingAppId) ?? toPlainText(oauth?.clientName ?? requestingAppId)
    return { ...result, key, appNames, app }
  } catch (error) {
    if (error instanceof Refusal && /^(?:unknown|invalid)/.test(error.id)) return 'expired'
    throw error
  }
}

/** Reads the operator's names for apps. Apps without one are shown by their id. Rejects with a `Refusal`. */
export async function readAppNames(): Promise<ReadonlyMap<string, string>> {
  const { apps } = await callRoute<{ apps: readonly { id: string; displayName?: string }[] }>(
    'GET',
    'reg/apps'
  )
  return new Map(apps.flatMap(({ id, displayName }) => (displayName ? [[id, displayName] as const] : [])))
}

/** The result of a decision: where to go now (`undefined`: close the window), or why it came too late. */
type Outcome = { readonly target: string | undefined } | { readonly late: NoRequest }

/**
 * Sends the decision. The session proves that the user has been asked. Resolves with the address to go to, if
 * there is a safe one; or with `late` if the request has expired or been decided meanwhile. Rejects with a
 * `Refusal`.
 */
export async function decide(
  { key }: AuthRequest,
  decision: Decision,
  session: Session | undefined
): Promise<Outcome> {
  try {
    const { redirect } = await callRoute<{ redirect?: string }>('POST', `reg/access/${key}`, {
      body: session ? { ...decision, username: session.username } : decision,
      ...(session && { token: session.token })
    })
    return { target: redirect !== undefined && isSafe(redirect) ? redirect : undefined }
  } catch (error) {
    if (error instanceof Refusal && error.id === 'unknown-referenced-resource') return { late: 'expired' }
    if (error instanceof Refusal && error.id === 'invalid-operation') return { late: 'decided' }
    throw error
  }
}

/** Returns whether a URL opens the app. URLs of some schemes would run or show something here instead. */
function isSafe(target: string): boolean {
  return (
    URL.canParse(target) &&
    !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'].includes(new URL(target).protocol)
  )
}
