// The models are made of these values, so that an app needs one import only.
@_exported import Lifeline
