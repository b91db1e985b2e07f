export async function tokenProvider() {
  const answer = await fetch("/token");
  if (!answer.ok) throw new Error(`the token can't be had: ${answer.status}`);
  return answer.text();
}
