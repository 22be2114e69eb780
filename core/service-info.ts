/** What clients need to know about the service: where it and its accounts are reached, and who runs it. (service.md, Service and general; supplement 2.1, 3) */
import type { Config } from './config.js'

type Addressing = Pick<Config, 'publicUrl' | 'domain'>

/** Root of all registration routes; ends in a slash. */
export function registerUrl(config: Addressing): string {
  return config.domain === '' ? `${config.publicUrl}/reg/` : hostUrl(config, 'reg')
}

/** Where apps ask to be authorised; ends in a slash. */
export function accessUrl(config: Addressing): string {
  return config.domain === '' ? `${config.publicUrl}/reg/access/` : hostUrl(config, 'access')
}

/** Root of an account, without a token; ends in a slash. */
export function accountUrl(config: Addressing, username: string): string {
  return config.domain === '' ? `${config.publicUrl}/${username}/` : hostUrl(config, username)
}

/** Root of an account with the token in it: all that a client needs. (supplement 3) */
export function apiEndpoint(config: Addressing, username: string, token: string): string {
  return accountUrl(config, username).replace('//', `//${token}@`)
}

/** Root of the server that holds the accounts: there is one. Ends in a slash. */
export function coreUrl({ publicUrl }: Addressing): string {
  return `${publicUrl}/`
}

/** A host below the domain; on the scheme and port of the public URL if that lies in the domain too. */
function hostUrl({ publicUrl, domain }: Addressing, host: string): string {
  const { hostname, port, protocol } = new URL(publicUrl)
  const isWithin = `.${hostname}`.endsWith(`.${domain}`)
  return isWithin ? `${protocol}//${host}.${domain}${port && `:${port}`}/` : `https://${host}.${domain}/`
}
