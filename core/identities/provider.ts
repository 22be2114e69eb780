/** The providers of identities, as the settings name them. (docs/spec/identities.md#providers) */
import { Type } from 'typebox'
import type { ProviderSetting } from '../settings/auth.js'
import type { Config } from '../settings/config.js'
import { trimSlash } from '../sign-in/sign-in-methods.js'

/** A provider with all that its setting leaves out. */
export type Provider = Required<Omit<ProviderSetting, 'clientSecret' | 'tokenEndpointAuthMethod'>> &
  Pick<ProviderSetting, 'clientSecret' | 'tokenEndpointAuthMethod'>

/** A provider as people see it. */
export const PublicProvider = Type.Object({ name: Type.String(), label: Type.String() })

/** All providers, in the order of the settings. */
export function listProviders({ auth }: Config): Provider[] {
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

/** The provider of this name. */
export function findProvider(config: Config, name: string): Provider | undefined {
  return listProviders(config).find(provider => provider.name === name)
}

/** The provider that vouches for identities of this issuer. */
export function findProviderByIssuer(config: Config, issuer: string): Provider | undefined {
  return listProviders(config).find(provider => trimSlash(provider.issuer) === trimSlash(issuer))
}

export function toPublicProvider({ label, name }: Provider): { name: string; label: string } {
  return { name, label }
}

/** Where a provider sends people back to; to be registered with it. */
export function getCallbackUrl({ publicUrl }: Config, name: string): string {
  return `${publicUrl}/auth/oidc/${name}/callback`
}

/** Where a session that a provider vouched for is ended there as well. */
export function signOutUrl({ publicUrl }: Config, name: string): string {
  return `${publicUrl}/auth/oidc/${name}/sign-out`
}

/** Where people arrive who have signed out at a provider; may be registered with it. */
export function getSignedOutUrl({ publicUrl }: Config): string {
  return `${publicUrl}/access/access.html`
}
