/** Two services on one machine, whose accounts ask each other for access: Dora, a doctor, and Paul, a patient. */
import type { Test } from 'tap'
import { coffer, type Answer, type Client, type Overrides, type Service } from './coffer.js'
import { until } from './socket.js'

/** Both sides of a test. */
export interface TwoServers {
  readonly requesterService: Service
  readonly accepterService: Service
  readonly dora: Client
  readonly paul: Client
  /** Host slugs of both. */
  readonly doraSlug: string
  readonly paulSlug: string
}

export const scope = ':_cmc:apps:clinic'

/** Starts the services; `isShared`: one service with both accounts. */
export async function startTwo(
  t: Test,
  overrides: Overrides = {},
  { isShared = false } = {}
): Promise<TwoServers> {
  const settings = {
    shutdownSeconds: 0.4,
    ...overrides,
    cmc: { allowInternalTargets: true, ...overrides.cmc }
  }
  const requesterService = await coffer(t, settings)
  const accepterService = isShared ? requesterService : await coffer(t, settings)
  const dora = await requesterService.user('dora-doctor')
  const paul = await accepterService.user('paul-patient')
  for (const id of ['health', 'diary']) await paul.stream(id)
  return {
    requesterService,
    accepterService,
    dora,
    paul,
    doraSlug: 'dora-doctor--127-0-0-1',
    paulSlug: 'paul-patient--127-0-0-1'
  }
}

export const offered = [
  { streamId: 'health', level: 'read', defaultName: 'Health' },
  { streamId: 'diary', level: 'contribute', defaultName: 'Diary' }
]

/** Returns the content of a request, with changes. */
export function requestContent({
  request = {},
  ...rest
}: Readonly<Record<string, unknown>> & { readonly request?: object } = {}): Record<string, unknown> {
  return {
    to: null,
    capabilityRequested: true,
    request: {
      title: { en: 'Study' },
      description: { en: 'A study' },
      consent: { en: 'I agree' },
      permissions: offered,
      ...request
    },
    requesterMeta: { displayName: 'Dr. Dora', appId: 'clinic-app', appUrl: 'https://clinic.example' },
    ...rest
  }
}

/** Writes an event of a type. */
export async function write(
  client: Client,
  type: string,
  content: unknown,
  streamId = scope
): Promise<Answer> {
  return await client.call('events.create', { streamIds: [streamId], type, content })
}

/** Publishes an offer. Returns the event of the request. */
export async function offer(
  dora: Client,
  changes: Parameters<typeof requestContent>[0] = {}
): Promise<Answer> {
  const { error, event } = await write(dora, 'consent/request-cmc', requestContent(changes))
  if (error) throw new Error(JSON.stringify(error))
  return event
}

/** Waits until a trigger has ended. Returns its content. */
export async function settled(client: Client, id: string): Promise<Answer> {
  let content: Answer
  await until(async () => {
    content = (await client.do('events.getOne', { id })).event.content
    return content.status === 'completed' || content.status === 'failed'
  }, 'the end of the trigger')
  return content
}

/** Accepts an offer, and waits for the end. Returns the content of the trigger. */
export async function accept(paul: Client, capabilityUrl: string, content: object = {}): Promise<Answer> {
  const { error, event } = await write(paul, 'consent/accept-cmc', { capabilityUrl, ...content })
  if (error) throw new Error(JSON.stringify(error))
  return await settled(paul, event.id)
}

/** Makes a relationship. */
export async function relate(
  { dora, paul }: TwoServers,
  changes: Parameters<typeof requestContent>[0] = {},
  content: object = {}
): Promise<{ readonly request: Answer; readonly accepted: Answer }> {
  const request = await offer(dora, changes)
  const accepted = await accept(paul, request.content.capabilityUrl, content)
  if (accepted.status !== 'completed') throw new Error(JSON.stringify(accepted))
  return { request, accepted }
}

/** Returns the events of a stream, latest first. */
export async function listEvents(client: Client, streamId: string, type?: string): Promise<Answer[]> {
  const params = { streams: [streamId], ...(type !== undefined && { types: [type] }), limit: 100 }
  return (await client.do('events.get', params)).events
}

/** Waits for an event in a stream. */
export async function arrived(client: Client, streamId: string, type: string): Promise<Answer> {
  let found: Answer[] = []
  await until(async () => {
    found = await listEvents(client, streamId, type)
    return found.length > 0
  }, `${type} in ${streamId}`)
  return found[0]
}

/** Returns the accesses that peers hold. */
export async function listPeers(client: Client): Promise<Answer[]> {
  const { accesses } = await client.do('accesses.get')
  return accesses.filter((each: Answer) => each.clientData?.cmc?.role === 'counterparty')
}
