// The rest of this target is made of the articles: see Plugins/Snippets.
await runArticles()
