import ClientRuntime
import EngineRuntime

// Translates the client's network options for each kind of transport. No other code uses the transports' option names.
extension ClientOptions {
    var network: NetworkSettings {
        var network = NetworkSettings(
            policy: policy, authorityFile: certificateAuthorityFile, pins: certificatePins, certificate: clientCertificate,
            proxy: proxy, paths: networkPaths, messageTimeout: messageTimeout, messageBytes: messageBytes)
        network.timing = (policy.timing.open, policy.timing.close)
        return network
    }

    /// Reports the connection's activity to the operating system to prevent App Nap; nil unless ``preventsAppNap`` is set.
    var engineObserver: (any EngineObserver)? { ActivityObserver(preventsAppNap) }
}
