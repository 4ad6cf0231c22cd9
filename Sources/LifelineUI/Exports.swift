// The models use the types of this module, so that an app needs one import only.
@_exported import Lifeline
