/// An element of ``PNMessages`` and the other sequences: what was received, and whether something before it may be missing.
///
/// Properties of the content can be read directly: `message.channel`. An addition to the Cocoa SDK.
@dynamicMemberLookup public struct PNReceived<Content: Sendable>: Sendable {
    /// What was received.
    public let content: Content
    /// Set when elements right before this one may be missing: after an outage that the service did not bridge, or because this
    /// consumer was too slow.
    public let precedingGap: PNGap?

    public subscript<Value>(dynamicMember path: KeyPath<Content, Value>) -> Value { content[keyPath: path] }
}
