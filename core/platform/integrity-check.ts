/**
 * Checks that the platform database and the users' databases are consistent.
 * (docs/spec/administration.md#platform-integrity)
 */
import { Type, type Static } from 'typebox'
import { iterateActiveAccounts } from './find-account.js'
import type { ServiceCall } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'

/** The result of one kind of check; the check has passed if `errors` is empty. */
export const IntegrityCheck = Type.Object({
  title: Type.String(),
  infos: Type.Record(Type.String(), Type.Number()),
  errors: Type.Array(Type.String())
})
export type IntegrityCheck = Static<typeof IntegrityCheck>

/** Maximum number of errors reported for each kind. */
const maxErrors = 1000

/**
 * Checks the platform and all accounts, one account after the other, yielding to other work in between.
 * `only`: checks just this account. Accounts that cannot be read are errors of the result.
 */
export async function checkPlatform(call: ServiceCall, only?: Account): Promise<IntegrityCheck[]> {
  const { services } = call
  const { accounts, uniqueFields, webhookAccounts, ...rest } = services.platform.counts()
  const checks = {
    files: createCheck('Account databases', { accounts, checked: 0 }),
    unique: createCheck('Unique fields', { uniqueFields, checked: 0 }),
    webhooks: createCheck('Accounts with webhooks', { webhookAccounts, checked: 0 })
  }
  for await (const account of only ? [only] : iterateActiveAccounts(services)) {
    await nextTurn()
    try {
      if (services.accounts.owns(account)) {
        // In a cluster, a file may have to be fetched first.
        await services.accounts.waitUntilReady(account)
        checkAccount(services, account, checks)
      } else await checkElsewhere(call, account, checks)
    } catch {
      addError(checks.files, `The database of ${account.username} cannot be read`)
    }
  }
  const platform = createCheck('Platform file', { accounts, ...rest })
  if (!only) for (const problem of await services.platform.problems()) addError(platform, problem)
  return [platform, checks.files, checks.unique, checks.webhooks]
}

type Checks = Readonly<Record<'files' | 'unique' | 'webhooks', IntegrityCheck>>

/** Forwards the check of an account to the thread that owns its database. */
async function checkElsewhere(
  { services, credentials }: ServiceCall,
  account: Account,
  checks: Checks
): Promise<void> {
  const { username } = account
  const method = 'system.checkPlatformIntegrity'
  const request = { method, params: { username }, credentials, isWhole: true } as const
  const outcome = await services.shard.peers?.forward(username, request)
  if (!outcome?.ok) throw new Error('An account could not be checked')
  const { checks: found } = JSON.parse(`{${outcome.members}}`) as { checks: IntegrityCheck[] }
  for (const check of Object.values(checks)) {
    const same = found.find(({ title }) => title === check.title)
    check.infos['checked']! += same?.infos['checked'] ?? 0
    for (const error of same?.errors ?? []) addError(check, error)
  }
}

/** Checks one account. Values of fields are private and not reported. */
function checkAccount(
  { accounts, platform }: Services,
  account: Account,
  { files, unique, webhooks }: Checks
): void {
  const { id, username } = account
  const store = accounts.openStore(account)
  files.infos['checked']!++
  for (const { field, key } of store.read(() => store.fields.listUnique())) {
    unique.infos['checked']!++
    if (platform.findByUnique(field, key)?.id !== id)
      addError(unique, `The ${field} of ${username} is missing from the index of unique values`)
  }
  if (store.webhooks.size === 0) return
  webhooks.infos['checked']!++
  if (!platform.isWebhookAccount(id))
    addError(webhooks, `${username} has webhooks that are missing from the index`)
}

function createCheck(title: string, infos: Record<string, number>): IntegrityCheck {
  return { title, infos, errors: [] }
}

function addError({ errors }: IntegrityCheck, text: string): void {
  if (errors.length < maxErrors) errors.push(text)
}
