// Adds and removes handlers of the connection. The functions that register handlers of messages, channels and users are in
// `ChatHandlers.swift`.
extension NCEngine {
    /// Registers a handler for changes of the connection's status, called on the callback queue.
    ///
    /// - Parameters:
    ///   - identifier: the handler's name. A handler with the same identifier is replaced.
    ///   - handler: held weakly.
    #if canImport(ObjectiveC)
        @objc(addConnectionStatusHandlerWithIdentifier:handler:)
    #endif
    public static func addConnectionStatusHandler(identifier: String, handler: any ConnectionStatusHandler) {
        registry.connectionStatus.add(identifier) { [weak handler] in handler }
    }

    /// Removes the connection status handler with this identifier.
    #if canImport(ObjectiveC)
        @objc(removeConnectionStatusHandlerForIdentifier:)
    #endif
    public static func removeConnectionStatusHandler(forIdentifier identifier: String) {
        registry.connectionStatus.remove(identifier)
    }
}
