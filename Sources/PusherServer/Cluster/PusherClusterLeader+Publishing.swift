import PusherProtocol
import ServerRuntime
import ServerStorage

// Publishing of events that nodes have authenticated, checked and encoded.
extension PusherClusterLeader {
    /// Publishes all events of a request, or none when a limit is exceeded (rules CP-91 to CP-93).
    ///
    /// - Returns: the requested channel attributes as JSON objects, in the order of the events.
    func publish(_ batch: EncodedEvents) -> PartitionAnswer {
        do throws(HTTPProblem) {
            let application = try served(batch.application)
            if batch.cost > 0 { try channels.spend(publishes: batch.cost, of: application) }
            service.count(published: batch.events.reduce(0) { $0 + $1.channels.count }, of: application)
            for event in batch.events {
                for name in event.channels { channels.publish(publication(of: event, to: name, application)) }
            }
            let rest = RESTService(service: service)
            return .done(
                batch.events.filter { !$0.info.isEmpty }.flatMap { event in
                    event.channels.map { rest.object(of: $0, event.info, application) }
                })
        } catch {
            return .refused(HTTPAnswer(error))
        }
    }

    /// The application in this server's configuration, which can differ from the sending node's while applications are being changed.
    private func served(_ id: String) throws(HTTPProblem) -> Application {
        guard let application = service.settings.applications.application(id: id) else { throw .unknownApplication }
        guard application.isEnabled else { throw .disabledApplication }
        return application
    }

    private func publication(
        of event: EncodedEvent, to name: String, _ application: Application
    ) -> ChannelPublication {
        let traits = ChannelTraits(of: PusherChannelKind(of: name))
        var publication = ChannelPublication(
            channel: ChannelID(application: application.id, name: name), traits: traits, application: application,
            frame: PusherWire.frame(event.message, to: name), source: .server, excluding: event.excluded)
        if traits.contains(.cached), let cached = event.cached {
            publication.cached = CachedMessage(
                event: cached.event, data: cached.data, expires: service.now.advanced(by: application.limits.cacheLifetime))
        }
        return publication
    }
}
