/**
 * Ids that belong to the service: stores and account streams (`:_system:…`, `:system:…`, `:_audit:…`), and the older
 * form of account streams (`.email`). Clients cannot take them for streams of their own. (supplement 7, 26)
 */
import { fail } from './errors.js'

/** Whether an id is one of the service's own. */
export function isSystemId(id: string): boolean {
  return id.startsWith(':') || id.startsWith('.')
}

/** Account streams that accesses may be granted, by their name without prefix. (supplement 7.1) */
const visible = new Set(['account', 'language', 'storageUsed', 'dbDocuments', 'attachedFiles', 'email'])

/** Account streams that nobody is shown, or that only mark values. */
const invisible = new Set(['appId', 'invitationToken', 'referer', 'helpers', 'active', 'unique'])

const prefix = /^(?::_system:|:system:|\.)/

/**
 * Refuses a permission on one of the service's streams: invisible ones and `manage` on account streams as
 * `invalid-operation`, unknown ones as `forbidden`. None can be granted as long as account streams are not served.
 */
export function refuseSystemPermission(streamId: string, level: string): never {
  const name = streamId.replace(prefix, '')
  if (invisible.has(name) || (visible.has(name) && level === 'manage'))
    fail('invalid-operation', `"${level}" cannot be granted on "${streamId}"`, { param: streamId })
  fail('forbidden', `No permission can be granted on "${streamId}"`)
}
