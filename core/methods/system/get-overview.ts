/** `system.getOverview`: versions, numbers of accounts and main settings. (docs/spec/administration.md#overview) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { operatorMethod } from '../../auth/admin.js'
import { getPageFacts } from '../../settings/page-facts.js'
import { version } from '../../version.js'

const Overview = Type.Object({
  /** Name of the platform, and the URL under which clients reach it. */
  name: Type.String(),
  publicUrl: Type.String(),
  versions: Type.Object({
    coffer: Type.String(),
    api: Type.String(),
    node: Type.String(),
    sqlite: Type.String()
  }),
  accounts: Type.Number(),
  suspended: Type.Number(),
  moved: Type.Number(),
  /** Unused invitations. */
  invitations: Type.Number(),
  /** Who may register: `open`, `invited`, `closed`. */
  registration: Type.String(),
  /** How users get links for a new password: by `mail`, from the `operator`, or not at all: `none`. */
  passwordReset: Type.String(),
  /** Bytes that an account may store, unless an operator has set another quota for it; 0: no limit. */
  quota: Type.Number(),
  /** Whether operators may delete accounts. */
  mayDelete: Type.Boolean()
})

/** `GET /system/overview`. */
export const getOverview = operatorMethod({
  id: 'system.getOverview',
  summary: 'Get versions and numbers of accounts',
  params: Type.Object({}, closed),
  result: Type.Object({ overview: Overview }),
  run({ services: { config, platform } }) {
    const { passwordReset, quota, registration } = getPageFacts(config)
    return {
      overview: {
        name: config.service.name,
        publicUrl: config.publicUrl,
        versions: {
          coffer: version,
          api: config.apiVersion,
          node: process.versions.node,
          sqlite: platform.accountStatuses.sqliteVersion()
        },
        ...platform.accountStatuses.counts(),
        invitations: platform.invitations.list().filter(({ consumed }) => consumed === null).length,
        registration,
        passwordReset,
        quota,
        mayDelete: config.userAccount.delete.includes('adminToken')
      }
    }
  }
})
