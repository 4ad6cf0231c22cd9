import ClientRuntime
import EngineRuntime

// Translates the network options for each kind of transport. Only this extension uses the transports' option names.
extension ClientOptions {
    var network: NetworkSettings {
        var network = NetworkSettings(
            policy: policy, authorityFile: certificateAuthorityFile, pins: certificatePins, certificate: clientCertificate,
            proxy: proxy, paths: networkPaths, messageTimeout: messageTimeout, messageBytes: messageBytes)
        network.timing = (policy.timing.open, policy.timing.close)
        return network
    }

    /// The observer that reports the connection's activity to the system; nil unless App Nap is to be prevented.
    var engineObserver: (any EngineObserver)? { ActivityObserver(preventsAppNap) }
}
