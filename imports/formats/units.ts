/** Units and numbers, for formats. */
export * from '../text/units.js'
