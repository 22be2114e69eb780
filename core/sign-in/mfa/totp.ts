/** Codes of authenticator apps (TOTP, RFC 6238): six digits, new every 30 seconds. The libraries are loaded on first use. */
import { Type, type Static } from 'typebox'
import type { Config } from '../../settings/config.js'

/** Seconds of a time step. */
const period = 30
/** Steps before and after the current one whose codes are accepted too, since clocks differ. */
const drift = 1

/** A new secret, in the forms in which a user can enter it into an app. */
export const TotpSecret = Type.Object({
  /** Base32, for typing. */
  secret: Type.String(),
  /** `otpauth://…`. */
  uri: Type.String(),
  /** The URI as a picture: a `data:` URL. */
  qrCode: Type.String()
})
export type TotpSecret = Static<typeof TotpSecret>

/** Returns the time step of a code; `undefined` if the code is wrong, or of a step whose code has been used. */
export type StepChecker = (secret: string, code: string, now: number, lastStep: number) => number | undefined

/** Creates a secret for an authenticator app, with its `otpauth:` URI and a QR code of that (SVG as a data URL). */
export async function createTotpSecret({ service }: Config, username: string): Promise<TotpSecret> {
  const { Secret, TOTP } = await import('otpauth')
  const secret = new Secret({ size: 20 })
  const uri = new TOTP({ issuer: service.name, label: username, secret, period }).toString()
  const { default: qrcode } = await import('qrcode')
  const svg = await qrcode.toString(uri, { type: 'svg', margin: 2 })
  return {
    secret: secret.base32,
    uri,
    qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  }
}

/**
 * Loads the function that checks codes; checking itself is synchronous. It returns the step of a right code,
 * and `undefined` for a wrong one or one that is not later than `lastStep`.
 */
export async function loadTotpChecker(): Promise<StepChecker> {
  const { Secret, TOTP } = await import('otpauth')
  return (secret, code, now, lastStep) => {
    // The library throws for other texts of six characters.
    if (!/^[0-9]{6}$/.test(code)) return undefined
    const delta = TOTP.validate({
      secret: Secret.fromBase32(secret),
      token: code,
      timestamp: now * 1000,
      period,
      window: drift
    })
    const step = delta === null ? undefined : Math.floor(now / period) + delta
    return step !== undefined && step > lastStep ? step : undefined
  }
}
