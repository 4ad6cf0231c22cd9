// Re-exports the module whose types the models use, so that an app needs only one import.
@_exported import Lifeline
