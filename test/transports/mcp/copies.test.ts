/** Assistants and copies of other accounts' data, with the official MCP client: who reads them, and that no one changes them. */
import t, { type Test } from 'tap'
import { Client as Assistant, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { aimsAt } from '../../isolation/aims.js'
import { diary, everything, leaksIn, listTargets, plant } from '../../core/mirrors/planted-copy.js'
import { root, startWorld } from '../../core/mirrors/world.js'
import type { Answer, Client } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'
import { until } from '../../support/socket.js'

t.setTimeout(600_000)

const health = `${root}:health`

/** Connects an assistant with a token. */
async function connect(t: Test, { service, token, username }: Client): Promise<Assistant> {
  const transport = new StreamableHTTPClientTransport(new URL(`${service.server.url}/${username}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } }
  })
  const assistant = new Assistant({ name: 'test', version: '1.0.0' })
  await assistant.connect(transport)
  t.teardown(() => assistant.close())
  return assistant
}

/** Makes all calls that aim at the copy, and reads all resources and prompts. Returns what was answered, by what was asked. */
async function tryAll(
  assistant: Assistant,
  aims: ReturnType<typeof aimsAt>,
  ids: Readonly<Record<string, string>>
): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const { tools } = await assistant.listTools()
  const names = new Set(tools.map(({ name }) => name))
  for (const [method, list] of Object.entries(aims))
    for (const params of list) {
      const name = method.replaceAll('.', '_')
      const asked = JSON.stringify(params)
      if (!names.has(name) || asked.includes('"canary"')) continue
      const given = params as Record<string, unknown>
      const answer = await assistant.callTool({ name, arguments: given })
      answers.set(`${name} ${asked}`, JSON.stringify(answer))
    }
  const points = { id: ids['holder'], toDeltaTime: 1e9 }
  answers.set('hfs_get ', JSON.stringify(await assistant.callTool({ name: 'hfs_get', arguments: points })))
  const { resources } = await assistant.listResources()
  const uris = [
    ...resources.map(({ uri }) => uri),
    ...[root, diary, health].map(id => `coffer:///streams/${encodeURIComponent(id)}`),
    ...Object.values(ids).map(id => `coffer:///events/${id}`)
  ]
  answers.set('resources/list', JSON.stringify(resources))
  for (const uri of uris)
    answers.set(
      uri,
      await assistant.readResource({ uri }).then(
        answer => JSON.stringify(answer),
        (error: Error) => error.message
      )
    )
  for (const [name, given] of [
    ['week', { to: '2023-11-16' }],
    ['what_changed', { since: '2020-01-01' }]
  ] as const)
    answers.set(`prompt ${name}`, JSON.stringify(await assistant.getPrompt({ name, arguments: given })))
  return answers
}

t.test('assistants and copies', async t => {
  const world = await startWorld(t, { workers: 0 })
  const { dora } = world
  const ids = await plant(world)
  await dora.stream('open')
  const open = await dora.event({ streamIds: ['open'], content: 'own' })
  const aims = aimsAt(listTargets(ids, open.id))
  const describe = async (): Promise<string> =>
    JSON.stringify([
      (await dora.do('events.get', { ...everything, streams: [root] })).events.map(
        ({ attachments, ...rest }: Answer) => [attachments?.length, rest]
      ),
      (await dora.do('hfs.get', { id: ids['holder'], toDeltaTime: 1e9 })).points,
      (await dora.do('streams.get', { parentId: root, state: 'all' })).streams
    ])
  await world.requesterService.server.settle()
  const before = await describe()
  const callers: Readonly<Record<string, Client>> = {
    'with * read': await dora.grant('read', '*', { type: 'app' }),
    'with * manage': await dora.grant('manage', '*', { type: 'app' }),
    'with * and one stream of the copy': await dora.grantAll(
      [
        { streamId: '*', level: 'manage' },
        { streamId: health, level: 'read' }
      ],
      { type: 'app' }
    )
  }
  for (const [name, client] of rotate(t, Object.entries(callers), 2))
    await t.test(`an assistant ${name} reads nothing else`, async t => {
      const assistant = await connect(t, client)
      const answers = await tryAll(assistant, aims, ids)
      t.ok(answers.size > 30, `${answers.size} answers`)
      for (const [asked, text] of answers) {
        t.same(leaksIn(text), [], asked)
        const isNamed = asked.includes('_followed') || name.includes('of the copy')
        if (!isNamed) t.notMatch(text, ':_followed', asked)
      }
      t.equal(await describe(), before, 'nothing has changed')
      if (!name.includes('of the copy')) return
      const { content } = await assistant.callTool({ name: 'events_get', arguments: { streams: [health] } })
      t.match((content as { text: string }[])[0]!.text, 'shown note')
    })

  for (const [name, client] of Object.entries({
    'of its keeper': dora,
    'with the streams of the copy': await dora.grant('read', root, {
      type: 'app',
      name: 'charting assistant'
    })
  }))
    await t.test(`an assistant ${name} reads the copy, and changes nothing`, async t => {
      const assistant = await connect(t, client)
      const answers = await tryAll(assistant, aims, ids)
      const seen = [...answers].filter(([, text]) => leaksIn(text).length > 0).map(([asked]) => asked)
      for (const tool of ['events_get ', 'events_getOne ', 'hfs_get ', 'measures_facts ', 'measures_days '])
        t.ok(
          seen.some(asked => asked.startsWith(tool)),
          `${tool}shows it`
        )
      t.ok(seen.includes(`coffer:///streams/${encodeURIComponent(diary)}`))
      t.ok(seen.includes(`coffer:///events/${ids['note']}`))
      // Endpoints of peers are credentials.
      for (const [asked, text] of answers) t.notMatch(text, /https?:\/\/[^"@/]+@/, asked)
      t.equal(await describe(), before, 'nothing has changed')
    })

  await t.test('the owner learns what an assistant has read', async t => {
    const { paul, requesterService } = world
    let records: Answer[] = []
    await until(async () => {
      requesterService.clock.advance(700)
      const streams = [':_audit:action-mirrors.copyRead']
      records = (await paul.do('events.get', { streams, limit: 100 })).events
      return records.some(({ content }) => JSON.stringify(content).includes('charting assistant'))
    }, 'the report')
    t.ok(records.every(({ content }) => JSON.stringify(content).includes('dora-doctor@127.0.0.1')))
  })
})
