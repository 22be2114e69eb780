/**
 * A doctor keeps copies of the data of many patients for a day: random changes, outages, narrower permissions and ends. Afterwards each
 * copy equals its original event by event, and those that have ended are empty.
 */
import { createHash } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { updateMark, writeAsService } from '../../core/cmc/service-calls.js'
import { getCounterparty } from '../../core/permissions/peer-access.js'
import type { Answer, Client, Service } from '../support/coffer.js'
import { seeded } from '../support/random.js'
import { listPeers, relate, startTwo, type TwoServers } from '../support/two-servers.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const count = Number(process.env['COFFER_TEST_PATIENTS'] ?? (isLong ? 1000 : 5))

t.setTimeout(count > 10 ? 7_200_000 : 600_000)

const random = seeded(t)
/** Seconds between two rounds; together they are a day. */
const roundSeconds = count > 100 ? 3600 : 2400
const rounds = 86_400 / roundSeconds
const everything = { state: 'all', fromTime: -1e12, toTime: 1e12, limit: 10_000 }

interface Patient {
  readonly client: Client
  grantId: string
  readonly channelId: string
  readonly mirrorId: string
  /** The root of the copy. */
  readonly root: string
  /** The streams in which this patient writes, and those that are shared. */
  readonly streams: string[]
  readonly shared: string[]
  readonly events: string[]
  /** Those of the events that have points. */
  readonly series: string[]
  isOff: boolean
  hasEnded: boolean
}

/** Passes on requests to the patients' service, except those of patients who are off. */
async function startGate(t: Test, service: Service, isOff: (username: string) => boolean): Promise<number> {
  const gate = createServer((incoming, response) => {
    const { headers, method, url = '' } = incoming
    if (isOff(url.split('/')[1] ?? '')) {
      incoming.resume()
      if (random.chance(0.5)) return response.destroy()
      return response.writeHead(503).end()
    }
    const outgoing = request(new URL(url, service.server.url), { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    return incoming.pipe(outgoing)
  })
  await new Promise<void>(resolve => gate.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    gate.closeAllConnections()
    gate.close()
  })
  return (gate.address() as AddressInfo).port
}

/** Lets the doctor reach a patient through the gate. */
async function leadThroughGate({ dora, requesterService }: TwoServers, accessId: string, port: number) {
  const { services } = requesterService.server as unknown as {
    services: Parameters<typeof writeAsService>[0]
  }
  await writeAsService(services, services.accounts.find(dora.username)!, call => {
    const access = call.store.accesses.find(accessId)!
    const { counterparty } = getCounterparty(access)!
    const url = new URL(String(counterparty.apiEndpoint))
    url.port = String(port)
    updateMark(call, access, { counterparty: { ...counterparty, apiEndpoint: url.href } })
  })
}

/** Adds patients who share data with the doctor. Returns each with the id of the access that the doctor holds. */
async function addPatients(
  two: TwoServers
): Promise<{ readonly client: Client; readonly grantId: string }[]> {
  const added: { readonly client: Client; readonly grantId: string }[] = []
  const add = async (number: number): Promise<void> => {
    const client = await two.accepterService.user(`patient-${number}`)
    for (const id of ['health', 'diary', 'private']) await client.stream(id)
    const { accepted } = await relate({ ...two, paul: client })
    added.push({ client, grantId: accepted.dataGrantAccessId })
  }
  for (let first = 0; first < count; first += 10)
    await Promise.all(Array.from({ length: Math.min(10, count - first) }, (_, at) => add(first + at)))
  return added
}

/** Begins the copies of all patients. */
async function followAll(
  two: TwoServers,
  added: readonly { readonly client: Client; readonly grantId: string }[],
  port: number
): Promise<Patient[]> {
  const { dora } = two
  const channels = new Map(
    (await listPeers(dora)).map(({ clientData, id }) => [clientData.cmc.counterparty.username, id])
  )
  const patients: Patient[] = []
  for (const { client, grantId } of added) {
    const channelId = channels.get(client.username)
    await leadThroughGate(two, channelId, port)
    const { mirror } = await dora.do('mirrors.create', { accessId: channelId })
    patients.push({
      client,
      grantId,
      channelId,
      mirrorId: mirror.id,
      root: mirror.streamId,
      streams: ['health', 'diary', 'private'],
      shared: ['health', 'diary'],
      events: [],
      series: [],
      isOff: false,
      hasEnded: false
    })
  }
  return patients
}

/** Makes one random change of a patient's data. */
async function change(patient: Patient, now: number): Promise<void> {
  const { client, events, shared, streams } = patient
  if (random.chance(0.2)) return await changeParts(patient, now)
  const choice = random.next()
  const [id] = events.length === 0 ? [] : [random.pick(events)]
  const pickStreams = (): string[] => [...new Set(random.some(streams, 2))]
  if (choice < 0.03 && streams.length < 8) {
    const parentId = random.pick(['health', 'private'])
    const streamId = `${parentId}-${streams.length}`
    await client.stream(streamId, parentId)
    streams.push(streamId)
    if (parentId === 'health') shared.push(streamId)
  } else if (choice < 0.55 || id === undefined) {
    const content = `note ${random.below(1e9)}`
    // Many have the same time.
    const time = now - 1000 * random.below(50)
    const event = { streamIds: pickStreams(), type: 'note/txt', content, time }
    events.push((await client.do('events.create', event)).event.id)
  } else if (choice < 0.75)
    await client.call('events.update', { id, update: { content: `changed ${random.below(1e9)}` } })
  else if (choice < 0.85) await client.call('events.update', { id, update: { streamIds: pickStreams() } })
  // Into the trash; twice deletes it permanently.
  else for (let times = 1 + random.below(2); times > 0; times--) await client.call('events.delete', { id })
}

/** Makes one random change of points or files. */
async function changeParts({ client, events, series }: Patient, now: number): Promise<void> {
  const id = series.length < 2 || random.chance(0.1) ? undefined : random.pick(series)
  if (id === undefined) {
    const event = {
      streamIds: [random.pick(['health', 'diary'])],
      type: 'series:frequency/bpm',
      time: now - 1e5
    }
    const created = (await client.do('events.create', event)).event.id
    events.push(created)
    series.push(created)
    return
  }
  const choice = random.next()
  const from = random.below(10_000)
  if (choice < 0.6) {
    const points = Array.from({ length: 1 + random.below(2500) }, (_, at) => [from + at, random.below(200)])
    await client.call('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  } else if (choice < 0.75) {
    const toDeltaTime = random.chance(0.3) ? 1e6 : from + random.below(3000)
    await client.call('hfs.deletePoints', { id, fromDeltaTime: from, toDeltaTime })
  } else {
    const form = new FormData()
    form.append(
      'file',
      new Blob([`${random.next()}`.repeat(1 + random.below(500))], { type: 'text/plain' }),
      'x.txt'
    )
    await client.http('POST', `/events/${random.pick(events)}`, form)
  }
}

/** Ends or narrows what a patient shares. */
async function withdraw({ dora }: TwoServers, patient: Patient): Promise<void> {
  const { client, grantId, mirrorId, channelId, shared } = patient
  const choice = random.below(4)
  if (choice === 0 && shared.includes('diary')) {
    const { accesses } = await client.do('accesses.get')
    const { permissions } = accesses.find(({ id }: Answer) => id === grantId)
    const kept = permissions.filter(({ streamId }: Answer) => streamId !== 'diary')
    const { access } = await client.do('accesses.update', { id: grantId, update: { permissions: kept } })
    patient.grantId = access.id
    shared.splice(shared.indexOf('diary'), 1)
    return
  }
  patient.hasEnded = true
  if (choice === 1) await dora.do('mirrors.delete', { id: mirrorId })
  else if (choice === 2) await dora.do('accesses.delete', { id: channelId })
  else await client.do('accesses.delete', { id: grantId })
}

/** Waits until something holds: about the state of all mirrors, which is not asked for more often than necessary. */
async function untilAll(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 60_000 * Math.max(1, count / 20)
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`)
    await wait(Math.max(20, count))
  }
}

/** Returns events as texts, with those of their streams that are wanted. */
function describe(events: readonly Answer[], toStream: (id: string) => string | undefined): string[] {
  return events
    .flatMap(({ attachments = [], content, points, streamIds, time, trashed, type }) => {
      const ids = streamIds.flatMap((id: string) => toStream(id) ?? [])
      const files = attachments.map((each: Answer) => `${each.fileName} ${each.size} ${each.integrity}`)
      const shown = type === 'note/txt' ? content : `${type} ${points}`
      const parts = [time, ids.toSorted().join(), shown, trashed === true, files.toSorted().join()]
      return ids.length === 0 ? [] : [parts.join(' ')]
    })
    .toSorted()
}

/** Adds the number of points of series, and their digest. */
async function addPoints(client: Client, events: readonly Answer[]): Promise<Answer[]> {
  return await Promise.all(
    events.map(async event => {
      if (event.type === 'note/txt') return event
      const { points = [] } = await client.call('hfs.get', { id: event.id, toDeltaTime: 1e9 })
      const digest = createHash('sha256').update(JSON.stringify(points)).digest('hex')
      return { ...event, points: `${points.length} ${digest}` }
    })
  )
}

async function describeOriginal({ client, shared }: Patient): Promise<string[]> {
  const { events } = await client.do('events.get', { ...everything, streams: ['health', 'diary'] })
  return describe(await addPoints(client, events), id => (shared.includes(id) ? id : undefined))
}

async function describeCopy({ dora }: TwoServers, { root }: Patient): Promise<string[]> {
  const { error, events } = await dora.call('events.get', { ...everything, streams: [root] })
  if (error) return [error.id]
  return describe(await addPoints(dora, events), id => id.slice(root.length + 1))
}

t.test(`copies of ${count} patients after a day`, async t => {
  const two = await startTwo(t, {
    accesses: { updates: true },
    workers: 0,
    // As if the patients were on servers of their own.
    storage: { maxOpenUsers: Math.max(300, 2 * count), idleSeconds: 10 * 86_400 }
  })
  const { accepterService, dora, requesterService } = two
  const { clock } = requesterService
  const advance = (seconds: number): void => {
    clock.advance(seconds)
    accepterService.clock.advance(seconds)
  }
  const byName = new Map<string, Patient>()
  const port = await startGate(t, accepterService, name => byName.get(name)?.isOff === true)
  const note = (what: string): void => {
    const { system, user } = process.cpuUsage()
    const [seconds, busy] = [performance.now() / 1000, (system + user) / 1e6].map(Math.round)
    if (count > 10) t.comment(`${what}: ${seconds} s, ${busy} s of CPU`)
  }
  const added = await addPatients(two)
  note(`${count} relationships`)
  const patients = await followAll(two, added, port)
  for (const patient of patients) byName.set(patient.client.username, patient)
  note(`${count} mirrors`)
  const list = async (): Promise<ReadonlyMap<string, Answer>> => {
    const { mirrors } = await dora.do('mirrors.get')
    return new Map(mirrors.map((mirror: Answer) => [mirror.id, mirror]))
  }

  for (let round = 0; round < rounds; round++) {
    for (const patient of patients) {
      if (random.chance(0.08)) patient.isOff = !patient.isOff
      if (!patient.hasEnded && random.chance(0.004)) await withdraw(two, patient)
      for (let changes = random.below(4); changes > 0; changes--)
        await change(patient, accepterService.clock.now())
    }
    const begun = clock.now()
    advance(roundSeconds)
    // Every third round waits for those who can be reached and whose next contact is due.
    if (round % 3 !== 0) continue
    await untilAll(async () => {
      const mirrors = await list()
      return patients.every(({ hasEnded, isOff, mirrorId }) => {
        const { error, lastContact = 0 } = mirrors.get(mirrorId) ?? {}
        return hasEnded || isOff || error !== undefined || lastContact > begun
      })
    }, `the contacts of round ${round}`)
    note(`round ${round}`)
  }

  for (const patient of patients) patient.isOff = false
  const waiting = new Set(patients)
  // Events that were moved to streams that are not shared are found once a day. (docs/api/mirrors.md#how-it-is-kept-up-to-date)
  for (let left = 10; left > 0 && waiting.size > 0; left--) {
    advance(86_400 / 2)
    const begun = clock.now()
    await untilAll(async () => {
      const mirrors = await list()
      const late = [...waiting].flatMap(({ mirrorId }) => {
        const { error, lastContact = 0, state } = mirrors.get(mirrorId)
        return state === 'erased' || state === 'erasing' || lastContact >= begun ? [] : [{ error }]
      })
      // Contacts that have failed are repeated after a pause.
      if (late.some(({ error }) => error !== undefined)) advance(600)
      return late.length === 0
    }, 'the last contacts')
    for (const patient of waiting) {
      const expected = patient.hasEnded ? ['unknown-referenced-resource'] : await describeOriginal(patient)
      if ((await describeCopy(two, patient)).join('\n') === expected.join('\n')) waiting.delete(patient)
    }
  }

  const mirrors = await list()
  const tree = JSON.stringify(await dora.do('streams.get', { parentId: null, state: 'all' }))
  const ended = patients.filter(({ hasEnded }) => hasEnded)
  let events = 0
  const parts = { series: 0, points: 0, files: 0 }
  for (const patient of patients) {
    const { mirrorId, root } = patient
    const copy = await describeCopy(two, patient)
    if (patient.hasEnded) {
      t.same(copy, ['unknown-referenced-resource'], `${root} is gone`)
      t.match(mirrors.get(mirrorId), { state: 'erased', receipt: String }, `${root} has a receipt`)
      t.notOk(tree.includes(`"${root}"`), `the streams of ${root} are gone`)
      continue
    }
    t.same(copy, await describeOriginal(patient), root)
    t.match(mirrors.get(mirrorId), { state: 'live', events: copy.length, skipped: 0 })
    events += copy.length
    for (const text of copy) {
      const [, points] = /series:\S+ (\d+) /.exec(text) ?? []
      if (points !== undefined) parts.series++
      parts.points += Number(points ?? 0)
      parts.files += text.split('x.txt').length - 1
    }
  }
  t.ok(parts.points > 0 && parts.files > 0)
  t.comment(`${parts.points} points of ${parts.series} series, ${parts.files} files`)
  t.comment(`${events} events of ${count - ended.length} patients; ${ended.length} have ended`)
})
