/** An app's request for an access: reading it, deciding it, and going back to the app. (docs/spec/app-authorization.md#deciding) */
import { call, Refusal, type ServiceInfo, type Session } from './api.js'
import { plain } from './plain.js'

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

/** What the app asks for. */
export interface AuthRequest {
  readonly key: string
  /** What people call the app: the operator's name for it, or its id. */
  readonly app: string
  /** The operator's names for other apps, by their ids. */
  readonly appNames: ReadonlyMap<string, string>
  readonly requestingAppId: string
  readonly requestedPermissions: readonly Permission[]
  readonly deviceName?: string
  readonly expireAfter?: number
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly returnURL?: string | false
  readonly lang?: string
  readonly referer?: string
}

/** Why there is nothing to decide. */
export type NoRequest = 'expired' | 'decided' | 'foreign'

export type Decision =
  | {
      readonly status: 'ACCEPTED'
      readonly username: string
      readonly token: string
      readonly apiEndpoint?: string
    }
  | { readonly status: 'REFUSED'; readonly reasonId: string; readonly message: string }

/** The request that the page's address names, if it names one. */
export async function requestOf(
  params: URLSearchParams,
  info: ServiceInfo
): Promise<AuthRequest | NoRequest | undefined> {
  const poll = params.get('poll') ?? params.get('pollUrl')
  const service = params.get('serviceInfo')
  const key = params.get('key') ?? poll?.split(/[?#]/)[0]!.split('/').at(-1)
  if (key === undefined || key === '') return undefined
  // Whoever makes people sign in here must not make them talk to somebody else.
  const isOurs = [poll, service].every(url => url === null || isOurOwn(url, info))
  return isOurs && /^[\w-]{1,100}$/.test(key) ? await readRequest(key) : 'foreign'
}

function isOurOwn(text: string, { access, register }: ServiceInfo): boolean {
  if (!URL.canParse(text)) return false
  const { origin, protocol } = new URL(text)
  const origins = [location.origin, new URL(access).origin, new URL(register).origin]
  return /^https?:$/.test(protocol) && origins.includes(origin)
}

type PollAnswer = Omit<AuthRequest, 'app' | 'appNames' | 'key'> & { readonly status: string }

async function readRequest(key: string): Promise<AuthRequest | NoRequest> {
  try {
    const answer = await call<PollAnswer>('GET', `reg/access/${key}`)
    if (answer.status !== 'NEED_SIGNIN') return 'decided'
    const appNames = await readAppNames()
    const { requestingAppId } = answer
    return { ...answer, key, appNames, app: appNames.get(requestingAppId) ?? plain(requestingAppId) }
  } catch (error) {
    if (error instanceof Refusal && /^(?:unknown|invalid)/.test(error.id)) return 'expired'
    throw error
  }
}

/** The names under which the operator presents apps; one that is not presented goes by its id. */
export async function readAppNames(): Promise<ReadonlyMap<string, string>> {
  const { apps } = await call<{ apps: readonly { id: string; displayName?: string }[] }>('GET', 'reg/apps')
  return new Map(apps.flatMap(({ id, displayName }) => (displayName ? [[id, displayName] as const] : [])))
}

/** What came of a decision: where to go now, nowhere (the window closes), or that it came too late. */
export type Outcome = { readonly target: string | undefined } | { readonly late: NoRequest }

/** Hands the decision in; a session with it says that the person has been asked. */
export async function decide(
  { key }: AuthRequest,
  decision: Decision,
  session: Session | undefined
): Promise<Outcome> {
  try {
    const { redirect } = await call<{ redirect?: string }>('POST', `reg/access/${key}`, {
      body: decision,
      ...(session && { token: session.token })
    })
    return { target: redirect !== undefined && isSafe(redirect) ? redirect : undefined }
  } catch (error) {
    if (error instanceof Refusal && error.id === 'unknown-referenced-resource') return { late: 'expired' }
    if (error instanceof Refusal && error.id === 'invalid-operation') return { late: 'decided' }
    throw error
  }
}

/** Addresses of some schemes would run or show something here instead of leading to an app. */
function isSafe(target: string): boolean {
  return (
    URL.canParse(target) &&
    !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'].includes(new URL(target).protocol)
  )
}
