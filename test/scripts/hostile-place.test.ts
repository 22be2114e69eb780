/** Backup places that others write to, share or imitate. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request as forward, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { generateX25519Identity } from 'age-encryption'
import { makeBackup } from '../../scripts/backup/make-backup.js'
import { openPlace } from '../../scripts/backup/open-place.js'
import type { StorageSettings } from '../../scripts/backup/place.js'
import { verifyBackup } from '../../scripts/backup/restore-backup.js'
import { S3Place } from '../../scripts/backup/s3-place.js'
import { Vault } from '../../scripts/backup/vault.js'
import { readSecret } from '../../scripts/terminal/passphrase.js'
import { createVettingOptions } from '../../scripts/vetting/examiner.js'
import { Layout } from '../../storage/files/layout.js'
import { bucket } from '../support/bucket.js'
import { coffer, testSettings } from '../support/coffer.js'
import { command } from '../support/command.js'

t.setTimeout(900_000)

const none = { endpoint: '', region: '', accessKey: '', secretKey: '' }
const keep = { days: 7, weeks: 4, months: 12 }

t.test('two services with one place', async t => {
  const [one, another, empty] = [await coffer(t), await coffer(t), t.testdir()]
  const folder = join(t.testdir(), 'safe')
  const args = ['backup', folder, '--backup.keep.days=1']
  t.match(await command([...args, `--dataDir=${one.directory}`]), { code: 0 })
  const refused = await command([...args, `--dataDir=${another.directory}`])
  t.match(refused, { code: 1, errors: /contains backups of another service: .*choose another place/ })
  const target = join(empty, 'data')
  t.match(await command(['restore', folder, `--dataDir=${target}`]), {
    code: 0,
    output: /1 account restored/
  })
  t.match(await command([...args, `--dataDir=${target}`]), { code: 0 }, 'what was restored goes on with it')
})

t.test('a place inside the data that it stores', async t => {
  const { directory } = await coffer(t)
  const link = join(t.testdir(), 'elsewhere')
  symlinkSync(directory, link)
  for (const folder of [
    directory,
    join(directory, 'users'),
    join(directory, 'backups', 'daily'),
    join(link, 'backups')
  ]) {
    const { code, errors } = await command(['backup', folder, `--dataDir=${directory}`])
    t.equal(code, 1, folder)
    t.match(errors, /is inside the data directory\. Choose a folder outside it/)
  }
  t.notOk(existsSync(join(directory, 'backups')), 'nothing was made')
})

t.test('odd names among the earlier states', async t => {
  const { alice, directory } = await coffer(t)
  const folder = join(t.testdir(), 'safe')
  const args = [`--dataDir=${directory}`, `--backup.to=${folder}`]
  await alice.stream('diary')
  t.match(await command(['backup', ...args]), { code: 0 })
  const oddities = ['1700000000.new', '1700000000.age', '0001700000', '17-x', '..1700', '99999999999 ']
  mkdirSync(join(folder, 'earlier'), { recursive: true })
  // The first is what a run leaves that is killed while it stores a state.
  for (const name of oddities) writeFileSync(join(folder, 'earlier', name), '{')
  await alice.event({ content: 'later' })
  t.match(await command(['backup', ...args]), { code: 0, errors: '' })
  const { output } = await command(['restore', '--list', '--json', ...args])
  t.equal(JSON.parse(output).length, readdirSync(join(folder, 'earlier')).length - oddities.length + 1)
})

t.test('a bucket that another run has locked', async t => {
  const { settings, to } = await bucket(t)
  const { alice, directory, server } = await coffer(t)
  const layout = new Layout(directory)
  const vaultOf = async (): Promise<Vault> =>
    await Vault.openForWriting(await openPlace(to, settings, true), false, readSecret({}))
  await alice.stream('diary')
  for (const content of ['first', 'second', 'third']) {
    await alice.event({ content })
    await server.settle()
    const vault = await vaultOf()
    if (content === 'third') {
      const { place } = vault
      const replace = place.replace.bind(place)
      place.replace = async (path, bytes) => {
        await replace(path, bytes)
        // Simulates a lock that expires at the moment of the commit.
        const until = Date.now() / 1000 + 60
        if (path === 'manifest') await replace('backup.lock', Buffer.from(JSON.stringify({ id: 'x', until })))
      }
    }
    const before = await vault.list(`users`)
    const { problems } = await makeBackup(layout, vault, { keep: { ...keep, days: 1, weeks: 0, months: 0 } })
    if (content === 'third') {
      t.match(problems, [{ detail: /was taken over by another run.*unchanged/ }])
      t.same(await vault.list('users'), before)
      t.same(
        (await verifyBackup(vault, { vetting: createVettingOptions(testSettings(directory)) })).problems,
        []
      )
    } else t.same(problems, [])
    await vault.close()
  }
})

t.test('a place where another run creates the backup at the same time keeps its key', async t => {
  const { settings, to } = await bucket(t)
  const identity = join(t.testdir(), 'identity')
  writeFileSync(identity, await generateX25519Identity())
  for (const where of [to, join(t.testdirName, 'safe')]) {
    const place = await openPlace(where, settings, true)
    const lock = place.lock.bind(place)
    place.lock = async () => {
      // This run has seen an empty place.
      const other = await openPlace(where, settings, true)
      await (await Vault.openForWriting(other, true, readSecret({ identity }))).close()
      await lock()
    }
    const opened = Vault.openForWriting(place, false, readSecret({ plain: true }))
    await t.rejects(opened, { name: 'BackupError', message: /is encrypted/ }, where)
  }
})

/** A bucket with one object, which knows conditional writes, answers them with a status, or changes the tags that it sends. */
class LockStore {
  #bytes: string | undefined
  #version = 0
  /** Called before each response. */
  before: (method: string) => Promise<void> = async () => {}

  /** `conditions`: a status with the code of the error. */
  constructor(private readonly conditions: 'known' | 'weak' | readonly [number, string]) {}

  readonly listener: RequestListener = (request, response) => {
    const { headers, method = '' } = request
    void text(request).then(async body => {
      if (request.url!.includes('list-type')) return response.end(page([]))
      await this.before(method)
      const tag = this.#bytes === undefined ? undefined : `"${this.#version}"`
      if (method === 'GET') {
        if (tag === undefined) return response.writeHead(404).end()
        const sent = this.conditions === 'weak' ? `W/${tag}` : tag
        return response.writeHead(200, { etag: sent }).end(this.#bytes)
      }
      const match = headers['if-match']
      const isConditional = (headers['if-match'] ?? headers['if-none-match']) !== undefined
      if (isConditional && typeof this.conditions === 'object') {
        const [status, code] = this.conditions
        return response.writeHead(status).end(code === '' ? '' : `<Error><Code>${code}</Code></Error>`)
      }
      if (isConditional && match !== tag) return response.writeHead(412).end()
      this.#bytes = method === 'DELETE' ? undefined : body
      this.#version++
      return response.writeHead(method === 'DELETE' ? 204 : 200).end()
    })
  }

  /** Replaces the object, as another run does. */
  write(bytes: string): void {
    this.#bytes = bytes
    this.#version++
  }

  get holder(): unknown {
    return this.#lock?.id
  }

  get until(): number | undefined {
    return this.#lock?.until
  }

  get #lock(): { id: unknown; until: number } | undefined {
    return this.#bytes === undefined ? undefined : JSON.parse(this.#bytes)
  }
}

t.test('a bucket that two runs lock at once', async t => {
  for (const former of [undefined, '{"id":"x","until":1}', '{'])
    await t.test(`with the former lock ${former}`, async t => {
      const store = new LockStore('known')
      if (former !== undefined) store.write(former)
      const settings = await answering(t, store.listener)
      const [one, other] = [
        await openPlace('s3://safe', settings, true),
        await openPlace('s3://safe', settings, true)
      ]
      // Both read before either writes, and the second write arrives once the first run has its lock.
      let [reads, writes] = [0, 0]
      let readBoth!: () => void
      const bothRead = new Promise<void>(resolve => (readBoth = resolve))
      const runs = [one.lock(), other.lock()]
      store.before = async method => {
        if (method === 'GET' && ++reads === 2) readBoth()
        if (method === 'GET') await bothRead
        else if (++writes === 2) await Promise.race(runs).catch(() => undefined)
      }
      const ended = await Promise.allSettled(runs)
      const refused = ended.filter(({ status }) => status === 'rejected')
      t.match(refused, [{ reason: { name: 'BackupError', message: /is in use by another run until/ } }])
      const held = ended[0]!.status === 'fulfilled' ? one : other
      await t.resolves(held.assertLocked())
      for (const place of [one, other]) await place.close()
      t.equal(store.holder, undefined)
    })
})

t.test('a bucket that refuses conditional writes can be locked', async t => {
  const store = new LockStore([501, 'NotImplemented'])
  const settings = await answering(t, store.listener)
  const place = await openPlace('s3://safe', settings, true)
  await place.lock()
  await t.rejects((await openPlace('s3://safe', settings, true)).lock(), {
    message: /is in use by another run/
  })
  store.write(JSON.stringify({ id: 'x', until: Date.now() / 1000 + 60 }))
  await t.rejects(place.assertLocked(), { message: /was taken over by another run/ })
  await t.rejects(
    place.write('a', [] as never),
    { message: /was taken over by another run/ },
    'nor is anything written'
  )
  await place.close()
  t.equal(store.holder, 'x', 'the lock of another run stays')
})

t.test(
  'a lock is taken over and renewed in buckets that do not know conditions, or their own tags',
  async t => {
    const statuses = [
      [400, 'InvalidArgument'],
      [400, 'NotImplemented'],
      [405, ''],
      [501, '']
    ] as const
    for (const conditions of ['known', 'weak', ...statuses] as const) {
      const name = String(conditions)
      const store = new LockStore(conditions)
      const place = await openPlace('s3://safe', await answering(t, store.listener), true)
      store.write(JSON.stringify({ id: 'x', until: 1 }))
      await t.resolves(place.lock(), name)
      // Not renewed by a write that was refused, or by another clock.
      store.write(JSON.stringify({ id: store.holder, until: Math.ceil(Date.now() / 1000) + 60 }))
      await place.assertLocked()
      t.ok(store.until! > Date.now() / 1000 + 800, name)
      store.write(JSON.stringify({ id: 'y', until: 1 }))
      await t.rejects(place.assertLocked(), { message: /was taken over by another run/ }, name)
      await place.close()
      t.equal(store.holder, 'y')
    }
    const transient = [
      [409, ''],
      [400, 'RequestTimeout'],
      [400, '']
    ] as const
    await Promise.all(
      transient.map(async ([status, code]) => {
        const store = new LockStore([status, code])
        const place = await openPlace('s3://safe', await answering(t, store.listener), true)
        const refusal = /the storage refuses to write backup\.lock \(status \d+\)/
        await t.rejects(place.lock(), { message: refusal }, `${status} ${code}`)
        t.equal(store.holder, undefined, 'nothing is written without a condition')
        await place.close()
      })
    )
  }
)

t.test('a lock with an impossible time', async t => {
  const { settings, to } = await bucket(t)
  const { directory } = await coffer(t)
  const place = await openPlace(to, settings, true)
  const flags = Object.entries(settings).map(([name, value]) => `--backup.s3.${name}=${value}`)
  for (const until of [1e300, '1e300', 8.65e12]) {
    await place.replace('backup.lock', Buffer.from(JSON.stringify({ id: 'x', until })))
    const ended = await command(['backup', to, `--dataDir=${directory}`, ...flags])
    t.match(ended, { code: 1, errors: /is in use by another run until [^]*remove backup.lock there/ })
  }
  for (const lock of ['null', '[]', '{}', '{', '', '{"id":"x","until":-1}', '{"id":"x","until":{}}']) {
    await place.replace('backup.lock', Buffer.from(lock))
    const ended = await command(['backup', to, `--dataDir=${directory}`, ...flags])
    t.match(ended, { code: 0 }, lock)
  }
})

t.test('a hostile bucket', async t => {
  const { directory } = await coffer(t)
  const backup = async (
    t: Test,
    listener: RequestListener
  ): Promise<{ code: number | null; errors: string }> => {
    const settings = await answering(t, listener)
    const flags = Object.entries(settings).map(([name, value]) => `--backup.s3.${name}=${value}`)
    return await command(['backup', 's3://safe/coffer', `--dataDir=${directory}`, ...flags])
  }

  await t.test('lists the same keys endlessly', async t => {
    let pages = 0
    const ended = await backup(t, (_request, response) => {
      // Stops eventually, so that a defect is reported instead of hanging.
      response.end(page(['coffer/users'], ++pages < 2000 ? `t${pages}` : undefined))
    })
    t.match(ended, { code: 1, errors: /s3:\/\/safe\/coffer: the storage lists the same keys again/ })
    t.ok(pages < 20)
  })

  await t.test('has keys outside its folder', async t => {
    const keys = [
      'coffer/../x',
      'coffer//',
      'coffer/',
      '/',
      'x',
      'coffer/a/../../b',
      'coffer/__proto__/x',
      ''
    ]
    const ended = await backup(t, (_request, response) => void response.end(page(keys)))
    t.match(ended, { code: 1, errors: /is neither empty nor a backup/ })
  })

  await t.test('redirects elsewhere', async t => {
    const asked: string[] = []
    const other = await answering(t, (request, response) => {
      asked.push(request.url!)
      response.end(page([]))
    })
    const ended = await backup(t, (_request, response) => {
      response.writeHead(307, { location: `${other.endpoint}/safe/?list-type=2` }).end()
    })
    t.match(ended, {
      code: 1,
      errors: /s3:\/\/safe\/coffer: the storage says to look at http:.*not followed/
    })
    t.same(asked, [], 'nobody is asked there')
  })

  await t.test('returns XML that is hard to parse', async t => {
    const texts = {
      'elements that are not closed': '<Contents>'.repeat(300_000),
      'the same within comments': `<a>${'<!-- <b> -->'.repeat(200_000)}</a>`,
      declarations: `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1000)}">]><a>&b;</a>`,
      'what begins again and again': '<?xml '.repeat(300_000),
      'elements within one another': '<a>'.repeat(200_000) + '</a>'.repeat(200_000),
      'a page': '<html><body><br>Hello</body></html>'
    }
    for (const [what, text] of Object.entries(texts)) {
      const ended = await backup(t, (_request, response) => void response.end(text))
      t.match(ended, { code: 1, errors: /not that of an S3-compatible storage/ }, what)
      const failing = await backup(t, (_request, response) => void response.writeHead(500).end(text))
      t.equal(failing.code, 1)
      t.match(failing.errors, /s3:\/\/safe\/coffer: /, `${what}, with a failure`)
    }
  })

  await t.test('breaks connections', async t => {
    for (const what of ['backup.lock', 'backup.json']) {
      const ended = await backup(t, (request, response) => {
        if (request.url!.includes('list-type'))
          return response.end(page(['coffer/backup.json', 'coffer/backup.lock']))
        if (!request.url!.includes(what)) return response.writeHead(404).end()
        response.writeHead(200, { 'content-length': '1000' }).write('{"version":1,')
        return setImmediate(() => response.destroy())
      })
      t.equal(ended.code, 1)
      t.match(ended.errors, /s3:\/\/safe\/coffer/, `${what}: ${ended.errors}`)
      t.notMatch(ended.errors, /^ +at /m)
    }
  })

  await t.test('sends endless responses', async t => {
    for (const what of ['lock', 'header']) {
      let sent = 0
      const ended = await backup(t, (request, response) => {
        if (request.url!.includes('list-type'))
          return response.end(page(['coffer/backup.json', 'coffer/backup.lock']))
        if (what === 'header' && request.url!.includes('backup.lock')) return response.writeHead(404).end()
        const chunk = Buffer.alloc(1 << 20, ' ')
        const more = (): void => {
          if (sent > 100 << 20) return void response.end()
          sent += chunk.length
          response.write(chunk, error => error ?? setImmediate(more))
        }
        return more()
      })
      t.equal(ended.code, 1)
      t.ok(sent < 32 << 20, `${sent} bytes of a ${what} were taken`)
    }
  })
})

t.test('a bucket that fails during a run', async t => {
  const real = await bucket(t)
  const { directory } = await coffer(t)
  let isDown = false
  const settings = await answering(t, (request, response) => {
    isDown ||= request.method === 'PUT' && request.url!.includes('platform-')
    if (isDown) {
      response.writeHead(500).end()
      return
    }
    const { headers, method, url } = request
    // With the signed address.
    const forwarded = forward(`${real.settings.endpoint}${url}`, { method, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  })
  const own = { ...real.settings, endpoint: settings.endpoint }
  const flags = Object.entries(own).map(([name, value]) => `--backup.s3.${name}=${value}`)
  const { code, errors } = await command(['backup', real.to, `--dataDir=${directory}`, ...flags])
  t.equal(code, 1)
  t.match(errors, /^s3:\/\/safe\/coffer\/platform-/, 'the first failure is told')
  t.notMatch(errors, 'backup.lock')

  const place = await openPlace(real.to, real.settings, false)
  const lock = JSON.parse(await text((await place.open('backup.lock'))!.bytes)) as { until: number }
  t.ok(lock.until - Date.now() / 1000 < 1000, 'a run an hour later is not kept out')
})

t.test('a bucket that never responds', async t => {
  const { directory } = await coffer(t)
  const layout = new Layout(directory)
  const soon = 100
  await t.test('times out when it is opened', async t => {
    const settings = await answering(t, () => {})
    await t.rejects(S3Place.open('safe', 'coffer', settings, soon), {
      name: 'BackupError',
      message: /^s3:\/\/safe\/coffer: the storage has not answered in time/
    })
  })

  await t.test('times out in the middle of a file, and at the end', async t => {
    const lock = JSON.stringify({ id: 'x', until: 0 })
    const settings = await answering(t, (request, response) => {
      if (request.url!.includes('list-type')) response.end(page([]))
      else response.writeHead(200, { 'content-length': `${lock.length}` }).write(lock.slice(0, 5))
    })
    const place = await S3Place.open('safe', 'coffer', settings, soon)
    await t.rejects(place.lock(), {
      name: 'BackupError',
      message: /backup\.lock: the transfer was interrupted \(no more data arrived\)/
    })
    await place.close()
  })

  await t.test('fails a backup, naming the request without a response', async t => {
    const lock: Buffer[] = []
    const settings = await answering(t, (request, response) => {
      if (request.url!.includes('platform-')) return
      if (request.url!.includes('list-type')) response.end(page([]))
      else if (request.method === 'PUT')
        request.on('data', chunk => lock.push(chunk as Buffer)).on('end', () => response.end())
      else if (lock.length > 0 && request.url!.includes('lock')) response.end(Buffer.concat(lock))
      else response.writeHead(404).end()
    })
    const vault = await Vault.openForWriting(
      await S3Place.open('safe', 'coffer', settings, soon),
      false,
      readSecret({})
    )
    await t.rejects(makeBackup(layout, vault), { message: /platform-.*has not answered in time/ })
    await vault.close()
  })
})

/** Starts storage with custom responses. */
async function answering(t: Test, listener: RequestListener): Promise<StorageSettings> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    ...none,
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKey: 'a',
    secretKey: 'b'
  }
}

function page(keys: readonly string[], token?: string): string {
  const more = token === undefined ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`
  const entries = keys.map(key => `<Contents><Key>${key}</Key><Size>5</Size></Contents>`).join('')
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${token !== undefined}</IsTruncated>${entries}${more}</ListBucketResult>`
}
