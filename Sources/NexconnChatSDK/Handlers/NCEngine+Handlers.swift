// Handlers of the connection. Those of messages, channels and users stand beside their protocols.
extension NCEngine {
    /// Calls `handler` whenever the connection's status changes.
    ///
    /// - Parameters:
    ///   - identifier: names the handler; the same one again replaces it.
    ///   - handler: held weakly.
    #if canImport(ObjectiveC)
        @objc(addConnectionStatusHandlerWithIdentifier:handler:)
    #endif
    public static func addConnectionStatusHandler(identifier: String, handler: any ConnectionStatusHandler) {
        registry.connectionStatus.add(identifier) { [weak handler] in handler }
    }

    /// Forgets the handler of this identifier.
    #if canImport(ObjectiveC)
        @objc(removeConnectionStatusHandlerForIdentifier:)
    #endif
    public static func removeConnectionStatusHandler(forIdentifier identifier: String) {
        registry.connectionStatus.remove(identifier)
    }
}
