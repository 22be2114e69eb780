/** Storage policies for tests of something else: the defaults of a service. */
import { Value } from 'typebox/value'
import { createDigests } from '../../core/integrity.js'
import { Settings } from '../../core/settings/settings.js'
import { AccountStreams } from '../../core/account/fields.js'
import type { Policies } from '../../storage/repositories/policies.js'
import type { UniqueValues } from '../../storage/platform/unique-index.js'

const settings = Value.Default(Settings, {}) as Settings
const { audit, integrity, versioning } = settings
const { strangersPerHour } = audit
const system = new AccountStreams(settings)

export const policies: Policies = {
  digests: createDigests(integrity),
  versioning,
  system,
  anonymousCallsPerHour: strangersPerHour
}

/** Without integrity values. */
export const unsealed: Policies = {
  versioning,
  system,
  anonymousCallsPerHour: strangersPerHour,
  digests: createDigests({ ...integrity, isActive: { accesses: false, attachments: false, events: false } })
}

/** Without other accounts: every value is free. */
export const alone: UniqueValues = {
  isInDoubt: false,
  begin() {},
  claim: () => true,
  listDue: () => [],
  rollbackTo() {},
  mark: 0,
  assertReserved() {},
  release() {},
  async reserve() {},
  settle() {}
}
