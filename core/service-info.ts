/** What clients need to know about the service. (service.md, Service and general; supplement 2) */
import type { Config } from './config.js'

/** The base URL of a user's account with a token in it. (supplement 3) */
export function apiEndpoint(config: Config, username: string, token: string): string {
  if (config.domain !== '') return `https://${token}@${username}.${config.domain}/`
  const base = (config.publicUrl || `http://${config.host}:${config.port}`).replace(/\/+$/, '')
  return `${base.replace('//', `//${token}@`)}/${username}/`
}
