/// What decryption made of a payload.
struct OpenedPayload: Sendable {
    /// As JSON text.
    let json: String

    var value: Any? { FoundationJSON.value(json) }
}
