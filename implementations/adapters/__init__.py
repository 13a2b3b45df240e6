"""Other people's tokenizers behind the plug-in contract: one module each, imported when it is asked for.

An adapter changes spelling, never behaviour: where ids are numbered otherwise it maps them both ways, and what the
package does with unknown ids, lone surrogates or long texts comes through as it is. What a package cannot be asked,
the adapter refuses with `NotImplementedError` and the reason. docs/adapters.md is the list.
"""
