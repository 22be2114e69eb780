/** Sign-in settings: apps, sessions, passwords and identity providers. */
import { Type, type Static } from 'typebox'
import { flag, formText, group, milliseconds, path, text, countUpTo, integer } from '../kinds.js'

/** Number of latest passwords whose hashes are kept, even without a rule. */
const maxPasswordHistory = 24

const Name = Type.String({ minLength: 1, maxLength: 200 })

/** An OpenID Connect provider with which users sign in. (docs/accounts.md#single-sign-on) */
export const ProviderSetting = Type.Object(
  {
    /** Identifies the provider in URLs and in the audit: `/auth/oidc/{name}/callback`. */
    name: Type.String({ maxLength: 32, pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$' }),
    /** The label of the button; by default the name. */
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 60, pattern: '^[^\\p{Cc}]+$' })),
    issuer: Type.String({ maxLength: 500, pattern: '^https?://[^\\s?#@]+$', form: 'webUrl', minLength: 1 }),
    clientId: Name,
    clientSecret: Type.Optional(Type.String({ maxLength: 1000, secret: true })),
    tokenEndpointAuthMethod: Type.Optional(Type.Enum(['client_secret_basic', 'client_secret_post'])),
    scopes: Type.Optional(Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]{1,100}$' }))),
    /** Whether users with an identity at this provider may create an account, regardless of `registration`. */
    autoRegister: Type.Optional(Type.Boolean()),
    /** Groups of which the user has to be in at least one to sign in; an empty list: no group is required. */
    allowedGroups: Type.Optional(Type.Array(Name)),
    groupsClaim: Type.Optional(Name),
    /** Whether the second factor of an account is required even if the provider has required one. */
    secondFactor: Type.Optional(Type.Enum(['ask', 'provider'])),
    /** Values of the claim `acr` that stand for a second factor, besides `mfa` in `amr`. */
    secondFactorAcr: Type.Optional(Type.Array(Name))
  },
  { additionalProperties: false }
)
export type ProviderSetting = Static<typeof ProviderSetting>

export const auth = group({
  trustedApps: text(
    "Apps allowed to sign users in, as comma-separated appId@origin pairs with `*` as wildcard. The service's own pages are always allowed. If empty, any app ID from the service's host or https://*.{domain} is allowed",
    ''
  ),
  sessionMaxAge: integer('Lifetime of a session after its last use, in seconds', 1_209_600, 1),
  usernameChangeLimit: integer('Times that users may change their user name. 0: never', 2, 0),
  usernameChangeInterval: integer(
    'Least time between two changes of a user name, in seconds. 0: no rule',
    86_400,
    0
  ),
  authorizationStep: path(
    'Path of a module whose default export authorizes every call with a token. If empty, none is used',
    ''
  ),
  ssoCookieDomain: Type.String({
    default: '',
    pattern: '^[A-Za-z0-9.-]*$',
    description: 'Domain of the `sso` cookie. If empty, the host of the response'
  }),
  passwordComplexityMinLength: countUpTo(
    'Minimum length of a new password, in characters. 0: no rule',
    0,
    100
  ),
  passwordComplexityMinCharCategories: countUpTo(
    'Minimum number of character types in a new password (lowercase, uppercase, digits, others). 0: no rule',
    0,
    4
  ),
  passwordAgeMaxDays: integer('Days until a password expires. 0: never', 0),
  passwordAgeMinDays: integer('Days until a password can be changed again. 0: no rule', 0),
  passwordPreventReuseHistoryLength: countUpTo(
    "Number of recent passwords, including the current one, that can't be reused. 0: no rule",
    0,
    maxPasswordHistory
  ),
  passwordResetMaxAge: integer('Lifetime of a password reset link, in seconds', 3600, 1),
  passwordResetPageURL: formText(
    'webUrl',
    'URL of the page that sets a new password. It receives a `resetToken` in its query. If empty, {publicUrl}/access/reset-password.html'
  ),
  emailVerificationPageURL: formText(
    'webUrl',
    'URL of the page that verifies an email address. It receives a `verifyToken` in its query. If empty, {publicUrl}/access/verify-email.html'
  ),
  passwords: Type.Enum(['on', 'off'], {
    default: 'on',
    description:
      'Whether users sign in with passwords. off: users sign in only through a provider in `auth.oidc`, and methods that take a password are refused'
  }),
  oidc: Type.Array(ProviderSetting, {
    default: [],
    description:
      'OpenID Connect providers for single sign-on. Each has name, issuer, clientId and clientSecret, and optionally label, scopes, autoRegister, allowedGroups, groupsClaim, secondFactor, secondFactorAcr and tokenEndpointAuthMethod (docs/accounts.md)'
  }),
  oidcTimeoutMs: milliseconds('Timeout of a call to a provider in `auth.oidc`, in milliseconds', 10_000),
  oidcAllowInternalTargets: flag(
    'Allow providers in `auth.oidc` at private and other internal addresses, and without TLS. Providers on this machine are always allowed',
    false
  ),
  passkeys: flag('Let users sign in with passkeys', true),
  passkeyDomain: formText(
    'host',
    'Domain of passkeys: the host of the public URL or a parent domain, such as example.com for data.example.com. Passkeys of a previous domain stop working. If empty, the host of the public URL'
  )
})
type Auth = Static<typeof auth>

/** Returns all problems of the sign-in settings that a schema cannot describe, each with its path. */
export function findAuthProblems({ oidc, oidcAllowInternalTargets, passwords }: Auth): string[] {
  // The values may be of any type: the schema check reports wrong types.
  const providers: readonly unknown[] = Array.isArray(oidc) ? oidc : []
  const problems: string[] = []
  const seen = new Set<string>()
  for (const [index, each] of providers.entries()) {
    const { issuer, name, scopes } = Object(each) as { issuer?: unknown; name?: unknown; scopes?: unknown }
    const location = `auth.oidc[${index}]`
    if (typeof name === 'string' && seen.has(name))
      problems.push(`${location}.name "${name}" is already used`)
    if (typeof name === 'string') seen.add(name)
    if (typeof issuer === 'string' && isPlainHttp(issuer) && !oidcAllowInternalTargets && !isLocal(issuer))
      problems.push(`${location}.issuer must begin with https unless auth.oidcAllowInternalTargets is true`)
    if (Array.isArray(scopes) && !scopes.includes('openid'))
      problems.push(`${location}.scopes must include "openid"`)
  }
  if (passwords === 'off' && providers.length === 0)
    problems.push(
      'auth.passwords is off but auth.oidc has no provider, so no one could sign in. Add a provider, or set auth.passwords to on'
    )
  return problems
}

function isPlainHttp(url: string): boolean {
  return url.startsWith('http:')
}

/** Returns whether the host of a URL is this machine. */
export function isLocal(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === 'localhost' || host === '[::1]' || /^127\.[\d.]+$/.test(host)
}
