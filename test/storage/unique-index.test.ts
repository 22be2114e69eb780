/** Unique values that are reserved before the write that needs them, while reserving takes time, as in a cluster. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createId } from '../../core/ids.js'
import { identityField, toIdentityKey } from '../../schemas/identity.js'
import { Accounts } from '../../storage/accounts.js'
import { StoreUnavailable } from '../../storage/errors.js'
import { Layout } from '../../storage/files/layout.js'
import type { Identity } from '../../storage/identities/identity-repository.js'
import type { Arguments, CommandName } from '../../storage/platform/commands.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { createWalSyncs } from '../../storage/wal/sync.js'
import { policies } from '../support/keeping.js'

/** Two accounts, and a platform file whose changes wait until the test releases them. */
class World {
  readonly platform: PlatformStore
  readonly accounts: Accounts
  readonly trouble: unknown[] = []
  /** Pending changes, by name. */
  readonly waiting: { readonly name: CommandName; go(error?: Error): Promise<void> }[] = []
  isSlow = false

  constructor(directory: string) {
    const layout = new Layout(directory)
    this.platform = new PlatformStore(layout)
    this.accounts = new Accounts(layout, this.platform, {
      maxOpen: 10,
      idleSeconds: 60,
      closingSeconds: 60,
      cacheKiB: 64,
      policies,
      durability: createWalSyncs(layout, error => {
        throw error
      }),
      onError: (_id, error) => this.trouble.push(error)
    })
    this.platform.delegateChanges(async <N extends CommandName>(name: N, args: Arguments<N>) => {
      if (this.isSlow)
        await new Promise<void>((resolve, reject) =>
          this.waiting.push({
            name,
            async go(error) {
              if (error) reject(error)
              else resolve()
              // By then its consequences have happened.
              for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
            }
          })
        )
      return this.platform.changeNow(name, ...args)
    })
  }

  async create(username: string): Promise<void> {
    await this.accounts.create({ id: createId(), username, created: 1, unique: {}, fill() {} })
  }

  store(username: string): UserStore {
    return this.accounts.openStore(this.accounts.find(username)!)
  }

  /** Links an identity with an account; returns `undefined` if another account has it. */
  async link(username: string, subject: string): Promise<string | undefined> {
    const store = this.store(username)
    return await store.write(() => {
      if (!store.unique.claim(identityField, keyOf(subject))) return undefined
      store.identities.insert(identityOf(subject))
      return subject
    })
  }

  async unlink(username: string, subject: string): Promise<void> {
    const store = this.store(username)
    await store.write(() => {
      store.unique.release(identityField, keyOf(subject))
      store.identities.remove(subject)
    })
  }

  /** Returns the account that holds a value, according to the index. */
  holder(subject: string): string | undefined {
    return this.platform.findByUnique(identityField, keyOf(subject))?.username
  }

  /** Waits for the next pending change. */
  async next(name: CommandName): Promise<World['waiting'][number]> {
    const endMs = performance.now() + 10_000
    while (this.waiting[0]?.name !== name) {
      if (performance.now() > endMs) throw new Error(`Nobody asks for ${name}`)
      await new Promise(setImmediate)
    }
    return this.waiting.shift()!
  }
}

const issuer = 'https://provider.example'
const keyOf = (subject: string): string => toIdentityKey({ issuer, subject })
const identityOf = (subject: string): Identity => ({
  id: subject,
  issuer,
  subject,
  provider: 'test',
  email: null,
  created: 1,
  used: null
})

async function start(t: Test): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
  const world = new World(directory)
  t.teardown(async () => {
    world.isSlow = false
    await world.accounts.close()
    world.platform.close()
    rmSync(directory, { recursive: true, force: true })
  })
  await world.create('alice')
  await world.create('bobby')
  world.isSlow = true
  return world
}

t.test('a write that needs a unique value', async t => {
  t.test('runs once the value is reserved, before later writes', async t => {
    const world = await start(t)
    const store = world.store('alice')
    const order: string[] = []
    const linked = world.link('alice', 'one').then(() => order.push('linked'))
    const other = store.write(() => order.push(`written after ${store.identities.list().length}`))
    const reserving = await world.next('reserveUnique')
    t.same(order, [])
    t.same(store.identities.list(), [], 'nothing of it is there before')
    await reserving.go()
    await Promise.all([linked, other])
    t.same(order.toSorted(), ['linked', 'written after 1'])
    t.equal(world.holder('one'), 'alice')
    await (await world.next('settleUnique')).go()
    t.same(world.platform.listInDoubt(), [])
  })

  t.test('is refused if another account was faster', async t => {
    const world = await start(t)
    const both = [world.link('alice', 'one'), world.link('bobby', 'one')]
    await (await world.next('reserveUnique')).go()
    await (await world.next('reserveUnique')).go()
    world.isSlow = false
    for (const { go } of world.waiting.splice(0)) await go()
    t.same((await Promise.all(both)).filter(Boolean), ['one'])
    t.same(
      ['alice', 'bobby'].filter(name => world.store(name).identities.list().length > 0),
      [world.holder('one')]
    )
  })

  t.test('keeps its reservation while an earlier change is settled', async t => {
    const world = await start(t)
    world.isSlow = false
    await world.link('alice', 'one')
    world.isSlow = true
    const unlinked = world.unlink('alice', 'one')
    await (await world.next('reserveUnique')).go()
    await unlinked
    const settling = await world.next('settleUnique')
    const again = world.link('alice', 'one')
    const reserving = await world.next('reserveUnique')
    // The settlement is late, as that of a node that was disconnected for a while.
    await reserving.go()
    await settling.go()
    t.equal(await again, 'one')
    t.equal(world.holder('one'), 'alice')
    t.equal(await ((world.isSlow = false), world.link('bobby', 'one')), undefined)
  })

  t.test('fails if the value cannot be reserved, and leaves nothing reserved', async t => {
    const world = await start(t)
    const refused = t.rejects(world.link('alice', 'one'), { name: 'StoreUnavailable' })
    await (await world.next('reserveUnique')).go(new StoreUnavailable('The log does not answer'))
    await refused
    t.same(world.store('alice').identities.list(), [])
    world.isSlow = false
    t.equal(await world.link('alice', 'two'), 'two')
    t.equal(await world.link('bobby', 'one'), 'one')
    t.same(world.platform.listInDoubt(), [])
  })

  t.test('is run again once the value is reserved, even in slices', async t => {
    const world = await start(t)
    const store = world.store('alice')
    const linked = store.writeInSteps(function* (draft) {
      yield
      if (!draft.unique.claim(identityField, keyOf('one'))) return 'taken'
      draft.identities.insert(identityOf('one'))
      return 'linked'
    })
    await (await world.next('reserveUnique')).go()
    t.equal(await linked, 'linked')
    await (await world.next('settleUnique')).go()
    t.equal(world.holder('one'), 'alice')
    t.same(world.platform.listInDoubt(), [])
  })

  t.test('leaves a failed settlement to the next opening of the file', async t => {
    const world = await start(t)
    const linked = world.link('alice', 'one')
    await (await world.next('reserveUnique')).go()
    await linked
    await (await world.next('settleUnique')).go(new StoreUnavailable('The log does not answer'))
    t.equal(world.trouble.length, 1)
    t.equal(world.platform.listInDoubt().length, 1)
    world.isSlow = false
    const account = world.accounts.find('alice')!
    await world.accounts.suspend(account, 2)
    await world.accounts.resume(account)
    t.equal(world.store('alice').identities.list().length, 1)
    t.same(world.platform.listInDoubt(), [])
    t.equal(world.holder('one'), 'alice')
  })
})
