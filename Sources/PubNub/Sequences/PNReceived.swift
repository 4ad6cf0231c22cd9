/// An element of ``PNMessages`` and the other sequences: the received content, and the gap before it, if any.
///
/// Properties of the content can be read directly, such as `message.channel`. An addition to the Cocoa SDK.
@dynamicMemberLookup public struct PNReceived<Content: Sendable>: Sendable {
    /// The received content.
    public let content: Content
    /// The gap directly before this element; nil when there is none. Elements are missing after an outage for which the service no longer
    /// had the messages, or because this consumer was too slow.
    public let precedingGap: PNGap?

    /// Reads a property of the received content.
    public subscript<Value>(dynamicMember path: KeyPath<Content, Value>) -> Value { content[keyPath: path] }
}
