/** Why records are left out, where several formats have the same reason: each completes "left out because it is …". */

export const withoutTime = 'without a time'
export const withoutNumber = 'without a number'
export const withoutPosition = 'without a position'
export const beyondTheEarth = 'at coordinates beyond the earth'
/** There is no type for it in the directory, or what it means is not certain. */
export const withoutType = 'of a kind without a type here'
/** Settings, versions, batteries: what a device tells of itself. */
export const aboutDevice = 'about the file or the device, not a measurement'
/** The file has a mark in place of the value, or beside it, that says so. */
export const notMeasured = 'not measured, as the file itself says'
export const zero = 'zero, which means that nothing was measured'
export const planned = 'a place on a route that was planned'
/** It had begun where the file ends. */
export const cutOff = 'cut off before its end'
export const torn = 'torn: its end is missing'
