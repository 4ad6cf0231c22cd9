import ClientRuntime
import EngineRuntime

// The network options for each kind of transport. The only place that knows their names there.
extension ClientOptions {
    var network: NetworkSettings {
        var network = NetworkSettings(
            policy: policy, authorityFile: certificateAuthorityFile, pins: certificatePins, certificate: clientCertificate,
            proxy: proxy, paths: networkPaths, messageTimeout: messageTimeout, messageBytes: messageBytes)
        network.timing = (policy.timing.open, policy.timing.close)
        return network
    }

    /// Observes the engine for this client; nil without an observer.
    var engineObserver: (any EngineObserver)? { ActivityObserver(preventsAppNap) }
}
