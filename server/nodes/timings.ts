/** Intervals and timeouts of the nodes of a cluster, in milliseconds. */

/** Heartbeats during one lease, and the longest time between them. */
export const [beatsPerLease, maxBeatMs] = [3, 2000]
export const timings = {
  steadyMs: 2500,
  wakeMs: 1000,
  pollMs: 500,
  resendMs: 1500,
  timeoutMs: 4000,
  confirmMs: 5000,
  snapshotRetryMs: 30_000
}
