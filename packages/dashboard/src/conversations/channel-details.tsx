import type { ChannelInfo } from '@agent-relay/sdk';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { relay, welcome } from '../connection/connection.ts';
import { model } from '../model/current.ts';
import { agents } from '../model/project.ts';
import { Avatar } from '../parts/avatar.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { tell } from '../parts/notices.tsx';
import { linkTo } from '../routes.ts';

/** A channel's topic and members, with controls to change them. */
export function ChannelDetails({ channel }: { channel: ChannelInfo }) {
  const { name, topic = '', joined, archivedAt } = channel;
  const members = useSignal<string[]>([]);
  const read = async () => {
    members.value = await relay().channels.members(name);
  };
  useEffect(() => {
    read().catch(tell);
    return model.value?.listen((events) => {
      if (events.some((event) => 'channel' in event && event.channel === name)) read().catch(tell);
    });
  }, [name]);
  const change = (work: () => Promise<unknown>) => async () => {
    await work();
    await model.value?.readChannels();
    await read();
  };
  const isArchived = archivedAt !== undefined;
  return (
    <div class="deliveries">
      <Topic key={topic} name={name} topic={topic} canChange={!isArchived} />
      <section aria-labelledby="members">
        <h3 id="members">
          {members.value.length} {members.value.length === 1 ? 'member' : 'members'}
        </h3>
        <ul class="members">
          {members.value.map((member) => (
            <li key={member}>
              <a class="nav-item" href={linkTo(welcome.value?.project ?? '', 'agent', member)}>
                <Avatar name={member} />
                <span class="nav-text">{member}</span>
              </a>
            </li>
          ))}
        </ul>
      </section>
      {!isArchived && (
        <Invite name={name} members={members.value} onInvited={change(async () => undefined)} />
      )}
      <div class="buttons">
        {joined && (
          <BusyButton onPress={change(() => relay().channels.leave(name))} label={`Leave ${name}`}>
            Leave
          </BusyButton>
        )}
        {isArchived ? (
          <BusyButton
            onPress={change(() => relay().channels.archive(name, { archived: false }))}
            label={`Reopen ${name}`}
          >
            Reopen
          </BusyButton>
        ) : (
          <ConfirmButton
            label={`Archive ${name}`}
            question={`Archive ${name}?`}
            onPress={change(() => relay().channels.archive(name))}
          >
            Archive
          </ConfirmButton>
        )}
      </div>
    </div>
  );
}

function Topic({ name, topic, canChange }: { name: string; topic: string; canChange: boolean }) {
  const text = useSignal(topic);
  if (!canChange) return <p class="muted">{topic}</p>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // Waits for the new list, so that the notice and the new topic appear together.
        const change = async (wanted: string) => {
          await relay().channels.topic(name, wanted);
          await model.value?.readChannels();
        };
        change(text.value).then(() => tell(`Changed the topic of ${name}.`, () => change(topic)), tell);
      }}
    >
      <label class="field flush-top">
        Topic
        <input
          value={text.value}
          maxLength={256}
          autocomplete="off"
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
      </label>
      {text.value !== topic && (
        <button type="submit" class="primary">
          Save
        </button>
      )}
    </form>
  );
}

function Invite({
  name,
  members,
  onInvited,
}: {
  name: string;
  members: string[];
  onInvited: () => Promise<void>;
}) {
  const others = [...agents.value.keys()].filter((agent) => !members.includes(agent));
  const invite = async (form: HTMLFormElement) => {
    const agent = String(new FormData(form).get('agent'));
    await relay().channels.invite(name, agent);
    form.reset();
    await onInvited();
  };
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        invite(event.currentTarget).catch(tell);
      }}
    >
      <input
        name="agent"
        required
        list="invitable"
        aria-label={`Add an agent to ${name}`}
        placeholder="Agent"
      />
      <datalist id="invitable">
        {others.map((agent) => (
          <option key={agent} value={agent} />
        ))}
      </datalist>
      <button type="submit">Add</button>
    </form>
  );
}
