/** The providers of identities, as the settings name them. (docs/spec/identities.md#providers) */
import { Type } from 'typebox'
import type { ProviderSetting } from '../settings/groups/auth.js'
import type { Config } from '../settings/config.js'
import { trimSlash } from '../sign-in/sign-in-methods.js'

/** A provider with the defaults of its setting. */
export type Provider = Required<Omit<ProviderSetting, 'clientSecret' | 'tokenEndpointAuthMethod'>> &
  Pick<ProviderSetting, 'clientSecret' | 'tokenEndpointAuthMethod'>

/** A provider as users see it. */
export const PublicProvider = Type.Object({ name: Type.String(), label: Type.String() })

/** Returns all providers, in the order of the settings. */
function listProviders({ auth }: Config): Provider[] {
  return auth.oidc.map(provider => ({
    label: provider.name,
    scopes: ['openid', 'profile', 'email'],
    autoRegister: false,
    allowedGroups: [],
    groupsClaim: 'groups',
    secondFactor: 'ask',
    secondFactorAcr: [],
    ...provider
  }))
}

/** Returns the provider of this name. `undefined` if none is configured. */
export function findProvider(config: Config, name: string): Provider | undefined {
  return listProviders(config).find(provider => provider.name === name)
}

/** Returns the provider of identities of this issuer. `undefined` if none is configured. */
export function findProviderByIssuer(config: Config, issuer: string): Provider | undefined {
  return listProviders(config).find(provider => trimSlash(provider.issuer) === trimSlash(issuer))
}

/** Returns what pages show of a provider. */
export function toPublicProvider({ label, name }: Provider): { name: string; label: string } {
  return { name, label }
}

/** Returns the URL to which a provider redirects users; the URL has to be registered with the provider. */
export function getCallbackUrl({ publicUrl }: Config, name: string): string {
  return `${publicUrl}/auth/oidc/${name}/callback`
}

/** Returns the URL at which a session is also ended at the provider. */
export function signOutUrl({ publicUrl }: Config, name: string): string {
  return `${publicUrl}/auth/oidc/${name}/sign-out`
}

/**
 * Returns the URL to which a provider redirects users after signing out; the URL may be registered with the provider.
 */
export function getSignedOutUrl({ publicUrl }: Config): string {
  return `${publicUrl}/access/access.html`
}
