/** Creating, deleting, interrupting and damaging accounts. Crashes are simulated by partial rows and files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { createId } from '../../core/ids.js'
import { Accounts } from '../../storage/accounts.js'
import { AccountElsewhere, AccountGone, StoreDamaged, StoreTooNew } from '../../storage/errors.js'
import { Layout } from '../../storage/files/layout.js'
import { userMigrations } from '../../storage/migrations/user/index.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { createWalSyncs } from '../../storage/wal/sync.js'
import { policies } from '../support/keeping.js'
import { platformBytes } from '../support/planted.js'

/** The accounts of one data directory. */
class Storage {
  readonly layout: Layout
  readonly platform: PlatformStore
  readonly accounts: Accounts
  readonly trouble: unknown[] = []

  constructor(
    readonly directory: string,
    owns: () => boolean = () => true
  ) {
    this.layout = new Layout(directory)
    this.platform = new PlatformStore(this.layout)
    this.accounts = new Accounts(this.layout, this.platform, {
      owns,
      maxOpen: 10,
      idleSeconds: 60,
      closingSeconds: 60,
      cacheKiB: 64,
      policies,
      durability: createWalSyncs(this.layout, error => {
        throw error
      }),
      onError: (_id, error) => this.trouble.push(error)
    })
  }

  async create(username: string, more: object = {}): Promise<string[]> {
    return await this.accounts.create({
      id: createId(),
      username,
      created: 1,
      unique: { email: `${username}@example.com` },
      fill: store =>
        void store.events.insert(
          policies.system.createEvent('email', username, { time: 1, at: 1, by: 'test' })!
        ),
      ...more
    })
  }

  /** Returns the stored email address of an account, which identifies its file. */
  email(username: string): unknown {
    return this.accounts.openStore(this.accounts.find(username)!).account.field('email')
  }

  /** Reads from an account, as a call does. */
  read(username: string): unknown {
    const store = this.accounts.openStore(this.accounts.find(username)!)
    return store.read(() => [
      store.accesses.list(),
      store.account.field('email'),
      store.events.getLastModified()
    ])
  }

  file(username: string): string {
    return this.layout.userFile(this.platform.find(username)!.id)
  }

  /** Lists all files in the users' folder. */
  files(): string[] {
    return readdirSync(this.layout.usersDirectory, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => entry.name)
  }

  async close(): Promise<void> {
    await this.accounts.close()
    this.platform.close()
  }

  /** Stops, and starts again on the same directory. */
  async restarted(meanwhile: () => void = () => {}): Promise<Storage> {
    await this.close()
    meanwhile()
    return new Storage(this.directory)
  }
}

function start(t: Test): Storage {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return new Storage(directory)
}

t.test('does not create an account of another thread, nor claim its values', async t => {
  const { directory, platform } = start(t)
  const storage = new Storage(directory, () => false)
  t.teardown(() => storage.close())
  await t.rejects(storage.create('alice'), AccountElsewhere)
  t.equal(platform.find('alice'), undefined)
  platform.close()
})

t.test('an account', async t => {
  t.test('exists once created, even after a restart', async t => {
    const storage = start(t)
    t.strictSame(await storage.create('alice'), [])
    t.equal(storage.email('alice'), 'alice')
    const again = await storage.restarted()
    t.equal(again.email('alice'), 'alice')
    t.equal(again.accounts.find('ALICE'), undefined)
    await again.close()
  })

  t.test('that remains only in the write-ahead log after a crash is removed by the next start', async t => {
    const storage = start(t)
    await storage.create('vanished')
    // The state between removing its row and truncating the log.
    const db = new SQLite(storage.layout.platformFile)
    db.exec('PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; DELETE FROM account')
    const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    cpSync(storage.directory, directory, { recursive: true })
    db.close()
    await storage.close()
    t.match(platformBytes(directory), 'vanished')
    const again = new Storage(directory)
    t.notMatch(platformBytes(directory), 'vanished')
    await again.close()
  })

  t.test('is copied in folders that a start removes only if their process has ended', async t => {
    const storage = start(t)
    const names = (): string[] =>
      readdirSync(storage.directory)
        .filter(name => name.startsWith('copies-'))
        .toSorted()
    const folders = ['copies-2024-11-22', 'copies-2024-backup', 'copies-99999999-abcdef'] as const
    const kept = [...folders, 'copies-of-a-file']
    // It cannot be looked into, like a folder of another user.
    writeFileSync(join(storage.directory, 'copies-of-a-file'), '')
    for (const name of folders) {
      mkdirSync(join(storage.directory, name))
      writeFileSync(join(storage.directory, name, 'platform.sqlite'), 'a copy that an operator has made')
    }
    const [layout, leftOvers] = ['files/layout', 'sqlite/copy-folders'].map(
      name => new URL(`../../storage/${name}.js`, import.meta.url).href
    )
    const code = `import { Layout } from '${layout}'
      import { createCopyFolder } from '${leftOvers}'
      console.log(createCopyFolder(new Layout(${JSON.stringify(storage.directory)})).root)
      setInterval(() => {}, 1000)`
    const command = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit']
    })
    t.teardown(() => command.kill('SIGKILL'))
    const [made] = (await once(command.stdout, 'data')) as [Buffer]
    // The same process id is another process in another container.
    renameSync(made.toString().trim(), join(storage.directory, 'copies-99999999-zyxwvu'))
    const during = await storage.restarted()
    t.strictSame(names(), [...folders, 'copies-99999999-zyxwvu', 'copies-of-a-file'], 'somebody works in it')
    command.kill('SIGKILL')
    await once(command, 'exit')
    const after = await during.restarted()
    t.strictSame(names(), kept)
    await after.close()
  })

  t.test('is closed after background work, unless it was open before', async t => {
    const storage = start(t)
    await storage.create('alice')
    const alice = storage.accounts.find('alice')!
    await storage.accounts.runInBackground(alice, async () => void storage.email('alice'))
    t.equal(storage.accounts.openCount, 1)
    const again = await storage.restarted()
    await again.accounts.runInBackground(alice, async () => void again.email('alice'))
    t.equal(again.accounts.openCount, 0)
    t.equal(again.email('alice'), 'alice')
    await again.close()
  })

  t.test('reserves its name and address, even among concurrent registrations', async t => {
    const storage = start(t)
    const taken = await Promise.all([
      storage.create('alice'),
      storage.create('alice', { unique: { email: 'new' } }),
      storage.create('bobby', { unique: { email: 'alice@example.com' } }),
      storage.create('alice')
    ])
    t.strictSame(taken, [[], ['username'], ['email'], ['username', 'email']])
    t.equal(storage.accounts.find('bobby'), undefined)
    t.equal(storage.files().filter(name => name === 'user.sqlite').length, 1)
    await storage.close()
  })

  t.test('is not found before it is complete', async t => {
    const storage = start(t)
    const creation = storage.create('alice')
    t.equal(storage.accounts.find('alice'), undefined)
    await creation
    t.ok(storage.accounts.find('alice'))
    await storage.close()
  })

  t.test('that could not be created leaves nothing behind', async t => {
    const storage = start(t)
    storage.platform.changeNow('invite', [
      { token: 'abcde', created: 1, createdBy: 'admin', description: '' }
    ])
    await t.rejects(storage.create('alice', { fill: throwing, invitationToken: 'abcde' }), /as asked/)
    t.equal(storage.platform.find('alice'), undefined)
    t.ok(storage.platform.invitations.isUnused('abcde'))
    t.strictSame(storage.files(), [])
    t.strictSame(await storage.create('alice', { invitationToken: 'abcde' }), [])
    t.notOk(storage.platform.invitations.isUnused('abcde'))
    await storage.close()
  })

  t.test('that was deleted leaves nothing behind, and frees its name', async t => {
    const storage = start(t)
    await storage.create('alice')
    const account = storage.accounts.find('alice')!
    const removal = storage.accounts.remove(account)
    t.throws(
      () => storage.accounts.openStore(account),
      AccountGone,
      'calls under way do not open its file again'
    )
    await removal
    t.equal(storage.accounts.find('alice'), undefined)
    t.strictSame(storage.files(), [])
    t.strictSame(await storage.create('alice', { fill() {} }), [])
    t.equal(storage.email('alice'), undefined)
    await storage.close()
  })

  t.test('keeps its invitation marked as used when it is deleted', async t => {
    const storage = start(t)
    storage.platform.changeNow('invite', [
      { token: 'abcde', created: 1, createdBy: 'admin', description: '' }
    ])
    await storage.create('alice', { invitationToken: 'abcde' })
    await storage.accounts.remove(storage.accounts.find('alice')!)
    t.notOk(storage.platform.invitations.isUnused('abcde'))
    await storage.close()
  })
})

t.test('a restart', async t => {
  const claim = {
    id: createId(),
    username: 'alice',
    created: 5,
    unique: { email: 'a' },
    invitationToken: 'abcde'
  }
  const interruptions = {
    'after the claim': () => {},
    'with a folder and no file': (storage: Storage) =>
      mkdirSync(storage.layout.userDirectory(claim.id), { recursive: true }),
    'with half a file': (storage: Storage) => {
      mkdirSync(storage.layout.userDirectory(claim.id), { recursive: true })
      writeFileSync(storage.layout.userFile(claim.id), 'SQLite format 3')
    }
  }
  for (const [name, leave] of Object.entries(interruptions))
    t.test(`undoes a registration that ended ${name}`, async t => {
      const storage = start(t)
      await storage.create('bobby')
      storage.platform.changeNow('invite', [
        { token: 'abcde', created: 1, createdBy: 'admin', description: '' }
      ])
      t.strictSame(storage.platform.changeNow('claim', claim), [])
      leave(storage)
      t.notOk(storage.platform.invitations.isUnused('abcde'))
      const again = await storage.restarted()
      t.equal(again.platform.find('alice'), undefined)
      t.equal(again.platform.findByUnique('email', 'a'), undefined)
      t.ok(again.platform.invitations.isUnused('abcde'))
      t.notOk(existsSync(again.layout.userDirectory(claim.id)))
      t.equal(again.email('bobby'), 'bobby')
      t.strictSame(await again.create('alice'), [])
      await again.close()
    })

  for (const isFileThere of [true, false])
    t.test(`completes an interrupted deletion${isFileThere ? '' : ', its file gone already'}`, async t => {
      const storage = start(t)
      for (const name of ['alice', 'bobby']) await storage.create(name)
      const file = storage.file('alice')
      storage.platform.changeNow('leave', storage.platform.find('alice')!.id)
      const again = await storage.restarted(() => {
        if (!isFileThere) rmSync(file)
      })
      t.equal(again.platform.find('alice'), undefined)
      t.notOk(existsSync(dirname(file)))
      t.equal(again.email('bobby'), 'bobby')
      t.strictSame(await again.create('alice'), [])
      await again.close()
    })

  const broken = {
    missing: (file: string) => rmSync(file),
    empty: (file: string) => truncateSync(file, 0),
    truncated: (file: string) => truncateSync(file, 8192),
    garbled: (file: string) => writeFileSync(file, 'x'.repeat(8192))
  }
  for (const [name, harm] of Object.entries(broken))
    t.test(`recreates a template that is ${name}`, async t => {
      const storage = start(t)
      const again = await storage.restarted(() => harm(storage.layout.templateFile(userMigrations.length)))
      t.strictSame(await again.create('alice'), [])
      t.equal(again.email('alice'), 'alice')
      await again.close()
    })

  for (const [name, harm] of Object.entries(broken))
    t.test(`refuses a platform file that is ${name}, once accounts exist`, async t => {
      const storage = start(t)
      await storage.create('alice')
      const file = storage.layout.platformFile
      await t.rejects(
        storage.restarted(() => harm(file)),
        StoreDamaged
      )
      t.throws(() => new Storage(storage.directory), new RegExp(file))
    })

  t.test('continues with a platform file that was just created', async t => {
    const storage = start(t)
    const again = await storage.restarted(() => truncateSync(storage.layout.platformFile, 0))
    t.strictSame(await again.create('alice'), [])
    await again.close()
  })

  t.test('refuses a platform file of a newer version, naming it', async t => {
    const storage = start(t)
    const file = storage.layout.platformFile
    await t.rejects(
      storage.restarted(() => setVersion(file, 1000)),
      StoreTooNew
    )
    t.throws(() => new Storage(storage.directory), new RegExp(file))
  })
})

t.test('a file', async t => {
  const damages = {
    'is missing': (file: string) => rmSync(dirname(file), { recursive: true }),
    'is empty': (file: string) => truncateSync(file, 0),
    'lost its end': (file: string) => truncateSync(file, 8192),
    'lost nearly all': (file: string) => truncateSync(file, 50),
    'is garbled': (file: string) => writeFileSync(file, 'not a database, whatever it was '.repeat(1000)),
    'is garbled in the middle': (file: string) => {
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0xa5, 4096))
    },
    "is somebody else's idea of a database": (file: string) => {
      rmSync(file)
      new SQLite(file).exec('CREATE TABLE other (a)').close()
    }
  }
  for (const [name, harm] of Object.entries(damages))
    t.test(`that ${name} is reported, never recreated, and does not affect others`, async t => {
      const storage = start(t)
      for (const user of ['alice', 'bobby']) await storage.create(user)
      const file = storage.file('alice')
      let before: Buffer | undefined
      const again = await storage.restarted(() => {
        harm(file)
        before = existsSync(file) ? readFileSync(file) : undefined
      })
      for (let count = 0; count < 2; count++) t.throws(() => again.read('alice'), StoreDamaged)
      t.equal(again.email('bobby'), 'bobby')
      t.strictSame(await again.create('alice', { unique: {} }), ['username'])
      await again.close()
      t.strictSame(existsSync(file) ? readFileSync(file) : undefined, before)
    })

  t.test('of a newer version is refused, naming it', async t => {
    const storage = start(t)
    await storage.create('alice')
    const file = storage.file('alice')
    const again = await storage.restarted(() => setVersion(file, 1000))
    t.throws(() => again.read('alice'), StoreTooNew)
    t.throws(() => again.read('alice'), new RegExp(file))
    await again.close()
  })
})

function setVersion(file: string, version: number): void {
  const db = new SQLite(file)
  db.pragma(`user_version = ${version}`)
  db.close()
}

function throwing(): never {
  throw new Error('as asked')
}

t.test('a name that changes while the account is deleted leaves no folder', async t => {
  const storage = start(t)
  await storage.create('daisy')
  const account = storage.accounts.find('daisy')!
  const folder = storage.layout.userDirectory(account.id)
  await storage.accounts.handover.removeFiles(account.id)
  t.notOk(existsSync(folder))
  t.equal(
    await storage.accounts.changeUsername(account, 'daisy-new', 2, { limit: 1, interval: 0 }),
    undefined
  )
  t.notOk(existsSync(folder))
})
