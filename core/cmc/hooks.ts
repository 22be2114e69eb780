/** All hooks of consent and messages, by method. (docs/architecture.md#hooks) */
import type { MethodHooks } from '../call/hooks.js'
import {
  createAccessHook,
  createStreamHook,
  deleteAccessHook,
  deleteStreamHook,
  updateAccessHook,
  updateStreamHook
} from './access-hooks.js'
import type { Deliveries } from './deliveries.js'
import { createCreateHook, createGetHook, deleteHook, createUpdateHook, fileHook } from './event-hooks.js'
import { createReportHook, PeerLimits } from './peers/peer-limits.js'

/** Returns the hooks of the exchange with other accounts, by the method that each is run with. */
export function createCmcHooks(deliveries: Deliveries): MethodHooks {
  const limits = new PeerLimits()
  return new Map([
    ['events.get', createGetHook(limits)],
    ['events.create', createCreateHook(deliveries, limits)],
    ['events.update', createUpdateHook(limits)],
    ['events.delete', deleteHook],
    ['events.addAttachment', fileHook],
    ['events.deleteAttachment', fileHook],
    ['mirrors.report', createReportHook(limits)],
    ['streams.create', createStreamHook],
    ['streams.update', updateStreamHook],
    ['streams.delete', deleteStreamHook],
    ['accesses.create', createAccessHook],
    ['accesses.update', updateAccessHook],
    ['accesses.delete', deleteAccessHook]
  ])
}
