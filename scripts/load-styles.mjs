/** A plugin of the pages' build: loads the styles of a module before it, in a tenth of the code that Vite adds for it. */

/** Vite's module, which is part of every page. */
const name = '\0vite/preload-helper.js'
const helper = `
const waits = {}
const addStyles = href =>
  [...document.querySelectorAll('link')].some(link => link.href === href) ||
  new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    link.onload = resolve
    link.onerror = () => {
      // The next attempt loads it again.
      delete waits[href]
      link.remove()
      reject(new Error('Styles not loaded: ' + href))
    }
    document.head.append(link)
  })
export const __vitePreload = async (load, files = [], base) => {
  await Promise.all(
    files
      .filter(file => file.endsWith('.css'))
      .map(file => {
        const { href } = new URL(file, base)
        return (waits[href] ??= addStyles(href))
      })
  )
  return load()
}
`

/** Returns the plugin. The build fails if Vite names its function otherwise. */
export function loadStyles() {
  return {
    name: 'load-styles',
    transform(code, id) {
      if (id !== name) return undefined
      if (!code.includes('export const __vitePreload')) this.error('Vite loads modules in another way')
      return { code: helper, map: null }
    }
  }
}
