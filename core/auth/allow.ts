/** Who may call a method at all. Permissions on streams are checked with `caller.must`. */
import { fail } from '../errors.js'
import { assertTrustedApp } from './trusted-apps.js'
import type { AccessRule } from '../call/method.js'

/** Allows calls without a token. */
export const anyone: AccessRule = { needsAccess: false }

/** Any valid token. */
export const anyAccess: AccessRule = { needsAccess: true }

/** Tokens that come from signing in. Others: `forbidden`. */
export const personalOnly: AccessRule = {
  needsAccess: true,
  check: ({ caller }) => {
    if (!caller.isPersonal) fail('forbidden', 'Only personal accesses can call this method')
  }
}

/** Tokens from signing in, and those of apps. Others: `forbidden`. */
export const notShared: AccessRule = {
  needsAccess: true,
  check: ({ caller }) => {
    if (caller.access?.type === 'shared') fail('forbidden', 'Shared accesses cannot call this method')
  }
}

/** Tokens of apps. Others: `forbidden`. */
export const appOnly: AccessRule = {
  needsAccess: true,
  check: ({ caller }) => {
    if (caller.access?.type !== 'app') fail('forbidden', 'Only app accesses can call this method')
  }
}

/** Only endpoints of the service, on behalf of any token: not everything in the result is shown. Others: `invalid-method`. */
export const endpointsOnly: AccessRule = {
  needsAccess: true,
  check: ({ credentials }) => {
    if (!credentials.isEndpoint) fail('invalid-method')
  }
}

/** Requires that the caller has created something, by the id of its access, or is personal. Error: `forbidden`. */
export function assertCreator(
  { accessId, isPersonal }: { readonly accessId: string | undefined; readonly isPersonal: boolean },
  creatorId: string
): void {
  if (!isPersonal && creatorId !== accessId) fail('forbidden')
}

/**
 * Allows calls without a token from apps whose id and origin the operator trusts. (docs/spec/authentication.md#trusted-apps)
 */
export const trustedApp: AccessRule = {
  needsAccess: false,
  check: ({ services, credentials, params }) => assertTrustedApp(services.config, credentials, params)
}

/** Like {@link trustedApp}, but only the `Origin` header counts, not the `Referer`. (docs/spec/authentication.md#trusted-apps) */
export const trustedByOrigin: AccessRule = {
  needsAccess: false,
  check: ({ services, credentials: { origin = '' }, params }) =>
    assertTrustedApp(services.config, { origin }, params)
}
