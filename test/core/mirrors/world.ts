/** What the tests of mirrors share: Dora keeps a copy of what Paul has shared. */
import type { Test } from 'tap'
import type { Services } from '../../../core/call/services.js'
import { writeAsService } from '../../../core/cmc/service-calls.js'
import type { Answer, Overrides } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { listPeers, relate, startTwo, type TwoServers } from '../../support/two-servers.js'

export const root = ':_followed:paul-patient--127-0-0-1'

export interface World extends TwoServers {
  /** The access of Dora that Paul holds. */
  readonly channel: Answer
  /** The access of Paul that Dora holds. */
  readonly grantId: string
}

/** Starts two services with a relationship. */
export async function startWorld(t: Test, overrides: Overrides = {}, options = {}): Promise<World> {
  const two = await startTwo(t, overrides, options)
  const { accepted } = await relate(two)
  const grantId = accepted.dataGrantAccessId
  const channel = (await listPeers(two.dora)).find(({ id }) => id !== grantId)
  return { ...two, channel, grantId }
}

/** Begins to keep a copy, and waits until it is complete. */
export async function follow(world: World): Promise<string> {
  const { mirror } = await world.dora.do('mirrors.create', { accessId: world.channel.id })
  await reaches(world, mirror.id, ({ lastContact, state }) => state === 'live' && lastContact !== undefined)
  return mirror.id
}

/** Waits until a mirror is as wanted; returns it. */
export async function reaches(
  { dora }: World,
  id: string,
  isWanted: (mirror: Answer) => boolean
): Promise<Answer> {
  let mirror: Answer
  await until(async () => {
    ;({ mirror } = await dora.do('mirrors.getOne', { id }))
    return isWanted(mirror)
  }, 'the mirror')
  return mirror
}

/** Lets time pass until the next contact, and waits for it. */
export async function contact(world: World, id: string): Promise<Answer> {
  const { mirror: before } = await world.dora.do('mirrors.getOne', { id })
  const { requesterService, accepterService } = world
  requesterService.clock.advance(700)
  if (accepterService !== requesterService) accepterService.clock.advance(700)
  return await reaches(
    world,
    id,
    ({ lastContact, state }) => state === 'erased' || lastContact !== before.lastContact
  )
}

/** Returns the events of the copy, as texts. */
export async function listCopies({ dora }: World): Promise<string[]> {
  const params = { streams: [root], state: 'all', fromTime: -1e12, toTime: 1e12 }
  const { events } = await dora.do('events.get', params)
  return events.map(({ content }: Answer) => String(content)).toSorted()
}

/** Lists the events of the copy that have all their points or files, by their ids at the peer. */
export async function listWhole({ dora }: World): Promise<string[]> {
  const { events } = await dora.do('events.get', {
    streams: [root],
    state: 'all',
    fromTime: -1e9,
    limit: 1000
  })
  const whole = await Promise.all(
    events.map(async ({ attachments = [], clientData, id, type }: Answer) => {
      const { files = [], id: remoteId } = clientData['coffer:followed']
      if (!type.startsWith('series:')) return attachments.length === files.length ? [remoteId] : []
      return (await dora.do('hfs.get', { id })).points.length === 1 ? [remoteId] : []
    })
  )
  return whole.flat().toSorted()
}

/** Lets the next contact begin at once, as a notice of a change does. */
export async function notify({ dora, requesterService }: World, mirrorId: string): Promise<void> {
  const { services } = requesterService.server as unknown as { services: Services }
  const account = services.accounts.find(dora.username)!
  await writeAsService(services, account, ({ changes, now, store }) => {
    store.mirrors.wake(mirrorId, now)
    changes.add('timers')
  })
}
