/** The API from a command line: with `curl` and with Python, as their manuals show it. */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { coffer, type Answer } from '../support/coffer.js'

const run = promisify(execFile)

/** Returns why a test that needs a command is skipped, if it is. */
function needs(command: string): { skip: string | false } {
  const isThere = spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
  return { skip: isThere ? false : `${command} is not installed` }
}

async function curl(...args: string[]): Promise<Answer> {
  const { stdout } = await run('curl', ['-sS', ...args])
  return stdout === '' ? undefined : JSON.parse(stdout)
}

t.test('curl', needs('curl'), async t => {
  const { alice, server } = await coffer(t)
  const api = `${server.url}/alice`
  const signed = ['-H', `Authorization: ${alice.token}`]
  const json = ['-H', 'Content-Type: application/json']

  t.test('sends the token in every supported form', async t => {
    for (const args of [
      signed,
      ['-H', `Authorization: Bearer ${alice.token}`],
      ['--oauth2-bearer', alice.token],
      ['-u', `${alice.token}:`],
      ['-G', '-d', `auth=${alice.token}`]
    ])
      t.match(await curl(...args, `${api}/access-info`), { type: 'personal' }, args.join(' '))
    t.match(await curl(`${server.url.replace('//', `//${alice.token}@`)}/alice/access-info`), {
      type: 'personal'
    })
  })

  t.test('creates and reads', async t => {
    const stream = '{"id": "diary", "name": "Diary"}'
    t.match(await curl(...signed, ...json, '-d', stream, `${api}/streams`), { stream: { id: 'diary' } })
    // Without an explicit type, curl declares the body as a form.
    t.match(await curl(...signed, '-d', '{"name": "x"}', `${api}/streams`), {
      error: { id: 'invalid-parameters-format' }
    })
    t.match(
      await curl(...signed, '-d', '_auth=', '--data-urlencode', '_json={"name": "form"}', `${api}/streams`),
      {
        error: { id: 'invalid-access-token' }
      }
    )
    const form = ['-d', `_auth=${alice.token}`, '--data-urlencode', '_json={"name": "form"}']
    t.match(await curl(...form, `${api}/streams`), { stream: { name: 'form' } })
    for (const content of ['one', 'two'])
      await curl(
        ...signed,
        ...json,
        '-d',
        JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content }),
        `${api}/events`
      )
    const query = ['-G', '-d', 'streams[]=diary', '-d', 'limit=1', '--data-urlencode', 'types=["note/txt"]']
    t.match(await curl(...signed, ...query, `${api}/events`), { events: { length: 1 } })
    const compressed = await curl('--compressed', ...signed, `${api}/events?streams=diary`)
    t.equal(compressed.events.length, 2)
  })

  t.test('sends files and reads them back', async t => {
    const file = join(t.testdir({ 'a b.txt': 'some text' }), 'a b.txt')
    const event = 'event={"streamIds": ["diary"], "type": "file/attached"};type=application/json'
    const sent = await curl(...signed, '-F', event, '-F', `file=@${file};type=text/plain`, `${api}/events`)
    const [attachment] = sent.event.attachments
    t.match(attachment, { fileName: 'a b.txt', type: 'text/plain', size: 9 })
    const address = `${api}/events/${sent.event.id}/${attachment.id}`
    const { stdout } = await run('curl', ['-sS', '-r', '5-', `${address}?readToken=${attachment.readToken}`])
    t.equal(stdout, 'text')
  })

  t.test('stores ETags, and receives 304 while nothing has changed', async t => {
    const tags = join(t.testdir({}), 'tag')
    const args = [
      '-sS',
      ...signed,
      '--etag-save',
      tags,
      '--etag-compare',
      tags,
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}'
    ]
    const status = async (): Promise<string> => (await run('curl', [...args, `${api}/streams`])).stdout
    t.same([await status(), await status()], ['200', '304'])
    await alice.stream('new')
    t.equal(await status(), '200')
  })
})

t.test('Python, with its standard library and with requests', needs('python3'), async t => {
  const { server } = await coffer(t)
  const tour = join(packageDirectory, 'test', 'clients', 'python', 'tour.py')
  const { stdout } = await run('python3', [tour, `${server.url}/reg/service/info`])
  t.equal(stdout, 'done\n')
})
