/** The account object of the older methods: the values in force, by field. (docs/spec/accounts.md#account-object) */
import type { StorageUsed } from '../../storage/repositories/storage-used.js'
import type { Call } from '../call/method.js'
import { listAddresses } from './email/addresses.js'
import { getAccountStreams, type AccountField } from './fields.js'

/** Returns the user name, the values of fields that are shown (groups of fields as objects), and all email addresses. */
export function toAccountObject(call: Call): object {
  const { account, services } = call
  const { byName } = getAccountStreams(services.config)
  const top = [...byName.values()].filter(({ isShown, isTopLevel }) => isShown && isTopLevel)
  return Object.fromEntries([
    ['username', account.username],
    ...top.map(field => [field.name, getFieldValue(call, field, byName)] as const),
    ['emails', listAddresses(call.store)]
  ])
}

function getFieldValue(
  call: Call,
  { children, isCounted, name, defaultValue }: AccountField,
  byName: ReadonlyMap<string, AccountField>
): unknown {
  if (isCounted) return getStorageCount(name, call.store.storageUsed())
  if (children.length === 0) return call.store.account.field(name) ?? defaultValue
  const fields = children.flatMap(child => byName.get(child) ?? []).filter(({ isShown }) => isShown)
  return Object.fromEntries(fields.map(field => [field.name, getFieldValue(call, field, byName)]))
}

/** Returns the account's current storage use of one kind, in bytes. */
export function getStorageCount(name: string, { attachments, documents }: StorageUsed): number {
  return name === 'attachedFiles' ? attachments : documents
}
