// The tests of this target are made of the articles: see Plugins/Snippets.
